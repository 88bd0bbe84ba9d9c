"""What pytest leaves alone here."""

# Its name is like a test's; MicroPython runs it.
collect_ignore = ["client_under_test.py"]
