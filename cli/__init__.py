"""What people type: each command parses its words, calls one function of the layers below and prints the answer."""
