"""The lexicon of Jungian concepts, English and German, and the tagging of texts with it."""
