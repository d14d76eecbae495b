"""From raw lines to paragraphs as a reader would read them, and the ledger of what was removed and why."""
