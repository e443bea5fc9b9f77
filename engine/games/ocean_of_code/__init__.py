"""Ocean of Code: two submarines hunt each other on a 15 by 15 map, hearing only each other's orders."""
