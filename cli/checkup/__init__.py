"""What `ladder doctor` looks at: one module per part of the machine, each giving findings."""
