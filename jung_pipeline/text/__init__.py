"""What both sides of the index share about text: sentences, words, normal forms."""
