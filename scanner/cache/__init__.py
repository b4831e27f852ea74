"""What is kept from scan to scan, as values, and the rules by which it may be believed."""
