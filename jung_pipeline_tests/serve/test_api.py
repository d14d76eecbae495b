"""The API of the reading room: what a reader's page is given, and what is refused."""

from __future__ import annotations

import json
import shutil

import pytest

from jung_pipeline.demo.questions import demo_questions
from jung_pipeline_tests.serve.conftest import call

ANSWERED, _, UNANSWERED = [entry.question for entry in demo_questions()]
JSON = {"accept": "application/json"}


def asked(app, question, **body):
    return call(app, "POST", "/api/query", json={"question": question, **body}, headers=JSON)


def steps(response):
    """The events of a stream as (name, data)."""
    found = []
    for block in response.text.strip().split("\n\n"):
        name, data = block.split("\n")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


def test_a_question_is_answered_in_steps_passages_first(room):
    response = call(room, "POST", "/api/query", json={"question": ANSWERED})
    assert response.headers["content-type"].startswith("text/event-stream")
    events = steps(response)
    assert [name for name, _ in events] == [
        "passages", "text", "verdicts", "citations", "follow_ups", "answer", "done",
    ]  # fmt: skip
    told = dict(events)
    found, answer, more = told["passages"], told["answer"], told["follow_ups"]
    assert told["citations"]["sources"] == answer["sources"]
    assert {verdict["verdict"] for verdict in told["verdicts"]["verdicts"]} == {"verbatim"}
    assert found["status"] == "ok" and any(p["kept"] for p in found["passages"])
    assert answer["status"] == "ok" and "[1]" in answer["text"] and answer["grounded"]
    first = answer["sources"][0]
    assert first["cited"] and first["work"] in first["citation"] and first["chunk_id"]
    assert all(quote["verdict"] == "verbatim" for quote in answer["quotes"]) and answer["quotes"]
    assert more["follow_ups"], "the demo library has more to say"
    again = asked(room, more["follow_ups"][0]["question"]).json()
    assert again["answer"]["status"] == "ok", "what is offered is answered"


def test_a_question_that_the_books_do_not_answer_is_told_so_with_near_misses(room):
    answer = asked(room, UNANSWERED).json()["answer"]
    assert answer["status"] == "not_found" and answer["text"]
    assert answer["near_misses"] and not answer["sources"]


def test_filters_hold_and_a_wrong_one_is_told(room):
    works = call(room, "GET", "/api/works").json()["works"]
    only = works[0]["volume"]
    found = asked(room, ANSWERED, filters={"works": [only]}).json()["found"]["passages"]
    assert found and {passage["volume"] for passage in found} == {only}
    wrong = asked(room, ANSWERED, filters={"works": ["No Such Book"]})
    assert wrong.status_code == 400 and "No Such Book" in wrong.json()["error"]["message"]


def test_a_passage_comes_with_its_neighbours(room):
    works = call(room, "GET", "/api/works").json()["works"]
    chapter = works[0]["chapters"][1]["chunk_id"]
    here = call(room, "GET", "/api/passages/" + chapter.replace("#", "%23")).json()
    assert here["passage"]["chunk_id"] == chapter
    assert here["before"][-1]["chunk_id"] == here["previous"] and here["after"][0]["chunk_id"] == here["next"]
    back = call(room, "GET", "/api/passages/" + here["next"].replace("#", "%23")).json()
    assert back["previous"] == chapter


def test_references_are_what_other_programs_read(room):
    source = asked(room, ANSWERED).json()["answer"]["sources"][0]
    for form, sign in (
        ("text", "[1] "),
        ("bibtex", "@book{"),
        ("ris", "TY  - "),
        ("csl-json", '"type": "book"'),
    ):
        response = call(room, "GET", "/api/references", params={"id": source["chunk_id"], "form": form})
        assert response.status_code == 200 and sign in response.text and source["work"] in response.text


def test_a_page_of_a_pdf_is_drawn_with_the_lines_of_the_passage_marked(room):
    works = call(room, "GET", "/api/works").json()["works"]
    book = next(work for work in works if work["has_pages"])
    chunk = book["chapters"][2]["chunk_id"]
    page = call(room, "GET", "/api/passages/" + chunk.replace("#", "%23")).json()["passage"]["page"]
    path = f"/api/pages/{book['volume']}/{page}"
    shown = call(room, "GET", path, params={"passage": chunk}).json()
    assert shown["kind"] == "picture" and shown["boxes"]
    for x0, y0, x1, y1 in shown["boxes"]:
        assert 0 <= x0 < x1 <= shown["width"] and 0 <= y0 < y1 <= shown["height"]
    picture = call(room, "GET", shown["picture"])
    assert picture.headers["content-type"] in ("image/png", "image/jpeg")
    assert picture.content[:4] in (b"\x89PNG", b"\xff\xd8\xff\xe0")
    assert call(room, "GET", path).json()["boxes"] == []
    assert call(room, "GET", f"/api/pages/{book['volume']}/9999/picture").status_code == 404


def test_where_there_is_no_page_to_draw_the_section_is_shown_with_the_passage_marked(room):
    works = call(room, "GET", "/api/works").json()["works"]
    book = next(work for work in works if not work["has_pages"])
    chunk = book["chapters"][1]["chunk_id"]
    page = call(room, "GET", "/api/passages/" + chunk.replace("#", "%23")).json()["passage"]["page"]
    shown = call(room, "GET", f"/api/pages/{book['volume']}/{page}", params={"passage": chunk}).json()
    assert shown["kind"] == "section"
    assert [each["chunk_id"] for each in shown["passages"] if each["marked"]] == [chunk]
    assert len(shown["passages"]) > 1


def test_the_concept_map_joins_concepts_that_meet(room):
    found = call(room, "GET", "/api/concepts").json()
    names = {node["name"] for node in found["nodes"]}
    assert "shadow" in names
    assert all({edge["a"], edge["b"]} <= names and edge["passages"] > 0 for edge in found["edges"])
    one = call(room, "GET", "/api/concepts/shadow").json()
    assert one["passages"] == sum(work["passages"] for work in one["works"])
    assert one["found"] and all("shadow" in passage["concepts"] for passage in one["found"])
    assert call(room, "GET", "/api/concepts/nothing-of-the-kind").status_code == 404


def test_the_examples_are_questions_that_this_library_answers(room):
    examples = call(room, "GET", "/api/examples").json()["examples"]
    assert examples
    assert asked(room, examples[0]).json()["answer"]["status"] == "ok"


@pytest.mark.parametrize(
    ("question", "status"),
    [
        ("", 400),
        ("   \n", 400),
        ("\x00\x07\x1b", 400),
        ("x" * 3000, 422),
        ("the of and", 200),
        ("Ω" * 900, 400),
    ],
)
def test_odd_questions_get_one_clear_answer(room, question, status):
    response = asked(room, question)
    assert response.status_code == status
    if status != 200:
        error = response.json()["error"]
        assert error["message"] and "Traceback" not in response.text


def test_what_is_too_long_is_refused(room):
    response = call(
        room,
        "POST",
        "/api/query",
        content=b"{" + b" " * 100_000,
        headers={"content-type": "application/json"},
    )
    assert response.status_code == 413


@pytest.mark.parametrize(
    "path",
    [
        "/api/pages/..%2f..%2fcatalogue.toml/1",
        "/api/pages/%2e%2e/1/picture",
        "/..%2f..%2f..%2fetc%2fpasswd",
        "/static/../../settings.py",
        "/api/passages/..%2f..%2fCURRENT",
    ],
)
def test_no_path_reaches_the_file_system(room, path):
    response = call(room, "GET", path)
    assert response.status_code == 404
    assert "root:" not in response.text and "import" not in response.text


def test_the_object_for_other_hosts_starts_cold_and_answers_from_the_index_alone(
    demo_settings, tmp_path, monkeypatch
):
    from jung_pipeline.serve import app as serving

    shutil.copytree(demo_settings.paths.index, tmp_path / "index")
    monkeypatch.setenv("JUNG_HOME", str(tmp_path))
    serving._application.cache_clear()
    answer = asked(serving.app, ANSWERED).json()["answer"]
    assert answer["status"] == "ok" and answer["grounded"]
    source = answer["sources"][0]
    path = f"/api/pages/{source['volume']}/{source['page']}"
    shown = call(serving.app, "GET", path, params={"passage": source["chunk_id"]}).json()
    assert shown["kind"] == "section", "the files of the books are not at hand"
    assert [path.name for path in tmp_path.iterdir()] == ["index"], "nothing is written"
    serving._application.cache_clear()


def test_nothing_is_said_about_where_the_library_lies_or_of_keys(demo_settings, tmp_path, monkeypatch):
    from jung_pipeline.serve.app import create_app

    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-very-secret")
    app = create_app(demo_settings.model_copy(update={"home": tmp_path / "nowhere"}))
    response = call(app, "GET", "/readyz")
    assert response.status_code == 503 and response.headers["retry-after"]
    assert "jung ingest" in response.json()["error"]["remedy"]
    assert str(tmp_path) not in response.text and "sk-very-secret" not in response.text
    assert call(app, "GET", "/healthz").text == "ok"
