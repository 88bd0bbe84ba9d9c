"""What the boards of M5Stack have in common: a board folder has its pins, and puts these together."""
