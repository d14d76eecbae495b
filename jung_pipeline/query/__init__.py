"""From a question to passages, and to an answer whose quotations and citations are checked."""
