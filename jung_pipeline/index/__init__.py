"""From vectors and passages to a searchable, versioned, audited index."""
