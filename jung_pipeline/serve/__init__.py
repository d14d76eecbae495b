"""The reading room: a page for exploring the library, and the JSON API behind it (``jung serve``).

It reads the finished index alone; the book files and tables, where they are at hand, add the pages of the books.
"""
