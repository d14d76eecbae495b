"""The names of the cleaning rules and, in words for a reader of the ledger, why each acts.

A rule is named once, here. The ledger shows the name and the reason beside what stood before and after.
"""

from __future__ import annotations

#: Rule → reason in words. The order is the order in which the rules act.
REASONS: dict[str, str] = {
    # boilerplate that extraction has recognised
    "licence": "Licence or credits of the file's publisher, not the author's words.",
    "transcriber_note": "Note of those who made the file, not the author's words.",
    "navigation": "Navigation or other furniture of the file, not text.",
    # characters
    "composed": "Letter and accent stored apart, or an older code for the same letter: one form (Unicode NFC).",
    "encoding": "Letters stored in UTF-8 and read as Windows-1252: read as what they are.",
    "ligature": "Typographic ligature spelled out.",
    "ligature_gap": "Stray blank beside a ligature inside a word.",
    "soft_hyphen": "Invisible soft hyphen.",
    "soft_hyphen_visible": "The font's hyphen was stored as a soft hyphen; it is a real hyphen here.",
    "invisible": "Invisible, control or unreadable character.",
    "space_form": "No-break, thin or other special blank: an ordinary one.",
    "hyphen_form": "Special hyphen: an ordinary one.",
    "long_s": "Long s is the same letter as s.",
    "spacing_accent": "Accent standing free before or after its letter put on it.",
    # furniture of the page
    "stamp": "Stamp or watermark over the page, not the author's words.",
    "running_head": "Running head or foot, repeated from page to page.",
    "page_number": "Printed page number at the edge of the page; kept as the page's label.",
    "page_mark": "Printed page number inside the text; kept as the page's label.",
    # marks
    "emphasis_mark": "Sign that marks emphasis in a plain text file.",
    "note_mark": "Mark of a note; kept as a link to the note.",
    "footnote": "Footnote moved out of the flow of the text, behind its chapter.",
    "note_heading": "Heading over notes that now stand behind their chapter.",
    "note_frame": "Mark or bracket around a note; the mark is kept with it.",
    "line_number": "Number of a line of verse in the margin.",
    "paragraph_number": "Number of the paragraph; kept as its address.",
    # words
    "letter_spacing": "Letter-spaced word closed up.",
    "space_before_sign": "Blank before a comma, stop or other sign that stands close to its word.",
    "small_capitals": "Initial set in a larger size rejoined to its word.",
    "line_hyphen": "Word broken at the end of a line joined.",
    "spaced_hyphen": "Word broken at the end of a line, lines already joined: rejoined.",
    "split_word": "Word that fell apart at a blank, a line's end or a hyphen: a word as closed up only.",
    "run_together": "Two words that ran together: no word as read, and two frequent ones as divided.",
    "misreading": "Misread letters: not a word as read, and only one likely word as corrected.",
    # structure
    "front_matter": "Title page, imprint or the like.",
    "contents": "Table of contents or list of illustrations.",
    "back_matter": "Advertisement or the like at the end of the book.",
    "index": "Index.",
    "bibliography": "List of literature.",
    "speck": "Signs without a letter, far smaller than the type: dirt on the page that was read as text.",
    "ornament": "Ornament or rule between sections.",
    "repeated_heading": "The same heading printed again directly after itself.",
    "white_space": "White space at the ends of lines, in indents or repeated.",
    "unexplained": "No rule claims this change: please report it.",
}
