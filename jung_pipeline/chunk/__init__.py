"""From cleaned paragraphs to passages: sentence ends, token limits, stable ids, concepts."""
