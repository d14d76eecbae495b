"""A small library of our own words, built as EPUB, PDF and scan, for the demo and the tests."""
