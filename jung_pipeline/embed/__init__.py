"""From passages to unit vectors, behind one interface, through a cache."""
