"""The UI's GraphQL answers what docs/tour.md shows: the graph, a volume's card, a failed check, why a volume is stale."""

from __future__ import annotations

from pathlib import Path

import regex
from dagster_graphql.test.utils import define_out_of_process_context, execute_dagster_graphql

from jung_pipeline.defs.instance import open_instance
from jung_pipeline.defs.running import Ingestion
from jung_pipeline.defs.sources import observe
from jung_pipeline.quality.promises import promises
from jung_pipeline_tests.small_books import put_epub

ROOT = Path(__file__).parent.parent.parent

QUERY = """
query Tour($keys: [AssetKeyInput!]) {
  assetNodes(assetKeys: $keys) {
    assetKey { path }
    groupName
    dependencyKeys { path }
    isObservable
    staleStatus(partition: "north")
    staleCauses(partition: "north") { key { path } category reason }
    assetMaterializations(partitions: ["north"], limit: 1) {
      metadataEntries {
        label
        ... on MarkdownMetadataEntry { mdStr }
        ... on TableSchemaMetadataEntry { schema { columns { name description } } }
      }
    }
    assetChecksOrError {
      ... on AssetChecks {
        checks {
          name
          description
          blocking
          executionForLatestMaterialization {
            status
            evaluation { partition severity metadataEntries { label ... on TextMetadataEntry { text } } }
          }
        }
      }
    }
  }
}
"""


def test_what_the_tour_shows_is_answered(library):
    put_epub(library.paths.library, "north")
    (library.paths.library / "blank.txt").write_text("* * *\n\n* * *\n", encoding="utf-8")
    list(Ingestion(library).run(["north"]))
    list(Ingestion(library).run(["blank"]))
    put_epub(library.paths.library, "north", paragraphs=6)
    with open_instance(library) as instance:
        observe(instance, [library.paths.catalogue().get("north")], library)
        with define_out_of_process_context(str(ROOT / "workspace.yaml"), None, instance) as context:
            keys = [{"path": [name]} for name in ("book_file", "raw_text", "cleaned_text", "chunks")]
            answer = execute_dagster_graphql(context, QUERY, {"keys": keys})
    assert not answer.errors
    nodes = {node["assetKey"]["path"][-1]: node for node in answer.data["assetNodes"]}
    assert nodes["book_file"]["isObservable"] and nodes["book_file"]["groupName"] == "library"
    assert [key["path"] for key in nodes["raw_text"]["dependencyKeys"]] == [["book_file"]]
    assert nodes["raw_text"]["staleStatus"] == "STALE"
    (cause,) = nodes["raw_text"]["staleCauses"]
    assert (cause["category"], cause["key"]["path"]) == ("DATA", ["book_file"])
    assert nodes["chunks"]["staleStatus"] == "FRESH"

    (made,) = nodes["cleaned_text"]["assetMaterializations"]
    metadata = {entry["label"]: entry for entry in made["metadataEntries"]}
    assert "| words |" in metadata["quality_card"]["mdStr"]
    columns = metadata["dagster/column_schema"]["schema"]["columns"]
    assert all(column["description"] for column in columns)
    shown = metadata["quality_card"]["mdStr"]
    (name,) = regex.findall(r"!\[[^\]]*\]\(/logs/plots/([^/]+)/svg\)", shown)
    assert list((library.home / "dagster").rglob(f"plots/{name}.svg")), (
        "the server has what the page links to"
    )

    checks = {check["name"]: check for check in nodes["cleaned_text"]["assetChecksOrError"]["checks"]}
    assert set(checks) == {promise.name for promise in promises("cleaned_text")}
    failed = checks["cleaned_text_is_not_empty"]
    assert failed["blocking"] and failed["description"]
    evaluation = failed["executionForLatestMaterialization"]["evaluation"]
    assert (evaluation["partition"], evaluation["severity"]) == ("blank", "ERROR")
    said = {entry["label"]: entry.get("text") for entry in evaluation["metadataEntries"]}
    assert said["look_closer"] == "jung status blank" and "offenders" in said
