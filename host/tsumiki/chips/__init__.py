"""Virtual chips: each takes and answers the bytes of its bus, in a process of its own."""
