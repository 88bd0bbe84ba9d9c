"""Between a client on stdin and stdout and a robot on a line or on the network: messages pass, outages do not show."""
