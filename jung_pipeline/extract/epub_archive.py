"""The zip of an EPUB, read with care: nothing outside it is touched, nothing is unpacked that is too big.

Every size is checked before a byte is inflated, against what the zip's directory says, and again while
reading. Names are only ever looked up in that directory, never on the disk, so a path that climbs out of
the book finds nothing.
"""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from pathlib import Path
from urllib.parse import unquote

import regex
from lxml import etree

from jung_pipeline.errors import SourceError

#: Bytes of one text document. The largest single-file books of the corpus have 2.4 MB.
MAX_DOCUMENT = 64 << 20

#: Bytes of all documents read from one book.
MAX_TOTAL = 512 << 20

#: Inflated to deflated size from which an entry beyond ``_RATIO_FLOOR`` counts as a bomb. Prose in XHTML
#: deflates 3 to 6 times, tables of repeated cells up to 50 times.
MAX_RATIO = 150
_RATIO_FLOOR = 4 << 20

#: Entries of a zip; the corpus has up to 500.
MAX_ENTRIES = 100_000

#: Ways of encrypting that only hide fonts, not the text (EPUB 3.3, section 4.2.6.3; Adobe's older one).
_FONT_OBFUSCATION = frozenset(("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"))

#: File that a rights management leaves in a book → its name, where the file itself does not tell.
_RIGHTS = {
    "META-INF/license.lcpl": "Readium LCP",
    "META-INF/sinf.xml": "Apple FairPlay",
    "META-INF/rights.xml": "Adobe ADEPT",
    "META-INF/signatures.drm": "an unknown rights management",
    "rights.xml": "Kobo",
}
#: What the namespaces of such a file hold → the name.
_VENDORS = (
    (b"ns.adobe.com/adept", "Adobe ADEPT"),
    (b"itunes.apple.com", "Apple FairPlay"),
    (b"kobo", "Kobo"),
    (b"barnesandnoble", "Barnes & Noble"),
    (b"marlin", "Marlin (Sony)"),
)

_UNREADABLE = (KeyError, RuntimeError, NotImplementedError, zipfile.BadZipFile, zlib.error, EOFError, OSError)


class EntryTooLarge(Exception):
    """An entry would unpack to more than the limits allow."""


class Archive:
    """An open EPUB.

    Raises:
        SourceError: the file is empty, not a zip, or a damaged one.
    """

    def __init__(self, path: Path) -> None:
        self.file = path.name
        self._read_so_far = 0
        try:
            size = path.stat().st_size
        except OSError as error:
            raise SourceError("damaged", self.file, f"cannot be read ({error.strerror}).") from error
        if size == 0:
            raise SourceError("empty_file", self.file, "the file is empty.", remedy="Get the file again.")
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise _no_zip(path, self.file) from error
        if len(self._zip.infolist()) > MAX_ENTRIES:
            raise SourceError("unsafe", self.file, f"holds more than {MAX_ENTRIES:,} files.")
        self._names = {
            i.filename: i for i in self._zip.infolist() if not i.is_dir() and _is_inside(i.filename)
        }
        self._folded: dict[str, str] = {}
        for name in self._names:
            # Archives made under Windows may divide folders by backslashes.
            self._folded.setdefault(unquote(name).replace("\\", "/").casefold(), name)

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    @property
    def names(self) -> list[str]:
        """The names of the files, in the order of the archive; none that leads outside."""
        return list(self._names)

    def find(self, name: str) -> str | None:
        """The entry that a path means: as written, else with escapes undone, else in another case."""
        for candidate in (name, unquote(name)):
            normal = posixpath.normpath(candidate.replace("\\", "/")) if candidate else ""
            if normal.startswith(("/", "../")) or normal in ("", ".", ".."):
                continue
            if normal in self._names:
                return normal
            if normal.casefold() in self._folded:
                return self._folded[normal.casefold()]
        return None

    def resolve(self, href: str, base: str) -> tuple[str | None, str]:
        """(entry, fragment) of a link in the document ``base``; entry ``None`` where it leads elsewhere."""
        href = href.strip()
        if regex.match(r"[A-Za-z][A-Za-z0-9+.-]*:", href) or href.startswith("//"):
            return None, ""
        path, _, fragment = href.partition("#")
        fragment = unquote(fragment)
        if not path:
            return base, fragment
        path = path.partition("?")[0]
        if path.startswith("/"):  # from the root of the archive
            return self.find(path.lstrip("/")), fragment
        return self.find(posixpath.join(posixpath.dirname(base.replace("\\", "/")), path)), fragment

    def read(self, name: str) -> bytes:
        """The bytes of the entry ``name``.

        Raises:
            KeyError: there is no such entry, or it cannot be unpacked.
            EntryTooLarge: it is beyond the limits; nothing was unpacked.
            SourceError: the entry needs a password.
        """
        info = self._names[name]
        if info.flag_bits & 0x1:
            raise SourceError(
                "encrypted",
                self.file,
                f"{name} is protected by a password.",
                remedy="Unpack and repack it without one.",
            )
        ratio = info.file_size / max(info.compress_size, 1)
        if info.file_size > MAX_DOCUMENT or (info.file_size > _RATIO_FLOOR and ratio > MAX_RATIO):
            raise EntryTooLarge(f"{name} would unpack to {info.file_size >> 20} MB")
        if self._read_so_far + info.file_size > MAX_TOTAL:
            raise EntryTooLarge(f"with {name} the book would unpack to more than {MAX_TOTAL >> 20} MB")
        try:
            with self._zip.open(info) as stream:
                data = stream.read(info.file_size + 1)
        except _UNREADABLE as error:
            raise KeyError(f"{name} cannot be unpacked ({error})") from error
        self._read_so_far += len(data)
        return data

    def encrypted_entries(self) -> set[str]:
        """Entries whose content is encrypted so that only a reading system with a key can read them."""
        return {entry for uri in self._encrypted() if (entry := self.find(uri.lstrip("/")))}

    def _encrypted(self) -> list[str]:
        """What the book says is encrypted, fonts aside that are only hidden."""
        root = self._xml("META-INF/encryption.xml")
        found = []
        for item in root.iter("{*}EncryptedData") if root is not None else ():
            method = item.find("{*}EncryptionMethod")
            if method is not None and method.get("Algorithm", "") in _FONT_OBFUSCATION:
                continue
            found += [reference.get("URI", "") for reference in item.iter("{*}CipherReference")]
        return found

    def protection(self) -> str | None:
        """The rights management that the files in the book show, by name; ``None`` if there is no sign of any."""
        for name, vendor in _RIGHTS.items():
            if self.find(name):
                root = self._xml(name) if name.endswith(".xml") else None
                spaces = etree.tostring(root)[:4000].lower() if root is not None else b""
                return next((named for sign, named in _VENDORS if sign in spaces), vendor)
        return "an unknown rights management" if self._encrypted() else None

    def _xml(self, name: str) -> etree._Element | None:
        """The root of the packaging document ``name``; ``None`` if there is none or it cannot be read."""
        entry = self.find(name)
        try:
            return parse_xml(self.read(entry)) if entry is not None else None
        except (KeyError, EntryTooLarge):
            return None


def parse_xml(data: bytes) -> etree._Element | None:
    """The root of a packaging document, damaged or not; no entity is resolved, nothing is fetched."""
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False)
    try:
        return etree.fromstring(data.strip(), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def _is_inside(name: str) -> bool:
    """Whether an entry's name stays inside the archive."""
    parts = name.replace("\\", "/").split("/")
    return not name.startswith(("/", "\\")) and ".." not in parts and not regex.match(r"[A-Za-z]:", name)


def _no_zip(path: Path, file: str) -> SourceError:
    """The error for a file that does not open as a zip."""
    with path.open("rb") as stream:
        head = stream.read(4)
    if head[:2] == b"PK":
        return SourceError(
            "damaged", file, "the zip archive is cut off or damaged.", remedy="Get the file again."
        )
    return SourceError(
        "not_this_format", file, "this is not an EPUB.", remedy="Give the file its right extension."
    )
