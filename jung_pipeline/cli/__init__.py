"""The jung command."""
