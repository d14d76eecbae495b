"""From a book file to its raw lines, with page, box, label and style: PDF, EPUB, HTML, plain text."""
