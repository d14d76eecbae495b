"""raw_text: the lines of a book file, as the file has them."""

import dagster as dg
import pyarrow as pa

from jung_pipeline import stages
from jung_pipeline.defs.failing import making
from jung_pipeline.defs.metadata import column_schema, count_table, counts, markdown_table, sample
from jung_pipeline.defs.partitions import volumes
from jung_pipeline.defs.resources import Library
from jung_pipeline.defs.sources import BOOK_FILE
from jung_pipeline.quality.text_rules import pages_without_text


@dg.asset(
    deps=[BOOK_FILE],
    partitions_def=volumes,
    io_manager_key="stage_tables",
    group_name="extraction",
    kinds={"python", "parquet"},
    owners=["team:library"],
    description="One row per line of the book file, in reading order, with page, printed label, box, font and role. "
    "PDF by PyMuPDF, bad scans by Tesseract, EPUB by EbookLib and BeautifulSoup, HTML and plain text as lawful editions come.",
)
def raw_text(context: dg.AssetExecutionContext, library: Library) -> dg.Output[pa.Table]:
    """Extract one volume."""
    settings, volume = library.settings(), library.volume(context.partition_key)
    made = making("raw_text", volume, settings, lambda: stages.make_raw_text(volume, settings))
    document = made.info["document"]
    judged = [page["quality"] for page in document["pages"] if page["quality"] is not None]
    return dg.Output(
        made.table,
        data_version=dg.DataVersion(made.data_version),
        metadata={
            "dagster/row_count": made.table.num_rows,
            "dagster/column_schema": column_schema("raw_text", made.table),
            "title": volume.title,
            "file": volume.file,
            "format": document["format"],
            "status": document["status"],
            "extractor": document["extractor"],
            "pages": len(document["pages"]),
            "pages_without_text": len(pages_without_text(document)),
            "pages_read_by_ocr": sum(page["ocr"] is True for page in document["pages"]),
            # Absent where no page was judged; the UI draws it over the runs.
            **({"mean_quality": sum(judged) / len(judged)} if judged else {}),
            "printed_labels": sum(page["label"] is not None for page in document["pages"]),
            "outline_entries": len(document["outline"]),
            "origins": count_table(counts(made.table.column("origin").to_pylist()), "origin", "lines"),
            "warnings": markdown_table(document["warnings"][:20], ["code", "page", "message"]),
            "sample": sample(made.table, ["page", "page_label", "element", "text"], 8),
        },
    )
