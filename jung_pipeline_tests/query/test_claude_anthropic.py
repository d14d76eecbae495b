"""The real SDK against a claude that speaks its protocol: what a reader gets, and what every failure says."""

from __future__ import annotations

import pytest

from jung_pipeline import settings as settings_module
from jung_pipeline.errors import AnswerError, JungError, ServiceError, SettingsError
from jung_pipeline.query.answer import compose, number_sources
from jung_pipeline.query.claude_anthropic import ClaudeAnswerer, reach
from jung_pipeline.query.passages import Passage
from jung_pipeline_tests.standins.anthropic_server import Fault, Part, Script

WELL = "A well has two voices. The upper one greets the traveller; the lower one says nothing at all."
LAMP = "The lamp burns longest where nobody trims it. So the old women say."


@pytest.fixture
def settings(tmp_path):
    return settings_module.load(tmp_path)


def ask(settings, *, max_retries=0, on_text=None, **changes):
    sources = number_sources([Passage.from_text(WELL, number=1), Passage.from_text(LAMP, number=2)])
    answerer = ClaudeAnswerer(settings.model_copy(update=changes), max_retries=max_retries, on_text=on_text)
    return compose("What do wells say?", sources, answerer)


def test_native_citations_become_numbers_in_order_of_first_use(claude, settings):
    claude.script = Script(
        [
            Part("The old women say that the lamp "),
            Part("burns longest untended.", [(1, 0, 1)]),
            Part(" And a well “has two voices”", [(0, 0, 1)]),
            Part("."),
        ]
    )
    heard = []
    answer = ask(settings, on_text=heard.append)
    assert answer.text == (
        "The old women say that the lamp burns longest untended [1]. And a well “has two voices” [2]."
    )
    assert [source.text for source in answer.sources] == [LAMP, WELL]
    assert answer.cited == (1, 2) and answer.grounded
    assert "".join(heard).startswith("The old women say that the lamp burns")
    assert answer.model == "claude-sonnet-5-5"
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (1000, 200)
    assert answer.usage.dollars == pytest.approx(0.004)


def test_typed_numbers_go_through_the_same_checker(claude, settings):
    claude.script = Script([Part("A lamp “burns longest where nobody trims it” [2], a fish sings [7].")])
    answer = ask(settings)
    assert answer.text == "A lamp “burns longest where nobody trims it” [1], a fish sings."
    assert answer.flagged_citations == (7,)
    assert not answer.grounded


def test_a_quotation_the_model_made_up_is_flagged(claude, settings):
    claude.script = Script([Part("The well “greets everyone by name”", [(0, 0, 2)]), Part(".")])
    answer = ask(settings)
    assert [quote.text for quote in answer.quotes if not quote.ok] == ["greets everyone by name"]
    assert any(flag.kind == "quote_not_in_passage" for flag in answer.flags)


def test_the_request_keeps_books_out_of_the_rules_and_sends_no_removed_parameter(claude, settings):
    ask(settings)
    (body,) = claude.requests
    assert "traveller" not in body["system"] and "lamp" not in body["system"]
    assert [block["type"] for block in body["messages"][0]["content"]] == ["search_result"] * 2 + ["text"]
    assert body["output_config"] == {"effort": "low"} and body["stream"] is True


@pytest.mark.parametrize(
    ("stop_reason", "parts", "words"),
    [
        ("refusal", [Part("I")], "refused"),
        ("max_tokens", [Part("A well has")], "cut off"),
        ("model_context_window_exceeded", [Part("A")], "window"),
        ("pause_turn", [Part("A")], "stopped early"),
        ("end_turn", [], "no text"),
        ("end_turn", [Part("  \n")], "no text"),
    ],
)
def test_no_half_answer_passes_for_a_whole_one(claude, settings, stop_reason, parts, words):
    claude.script = Script(parts, stop_reason)
    with pytest.raises(AnswerError, match=words) as caught:
        ask(settings)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault("status", 429, "rate_limit_error"), "rate limit"),
        (Fault("status", 529, "overloaded_error"), "overloaded"),
        (Fault("status", 500, "api_error"), "error of its own"),
        (Fault("status", 400, "invalid_request_error"), "refused the request: .*as told"),
        (Fault("status", 401, "authentication_error"), "refused the key"),
        (Fault("stream_error", error="overloaded_error"), "overloaded"),
        (Fault("drop"), "connection"),
        (Fault("truncate"), "before the answer was complete"),
    ],
)
def test_every_failure_says_what_to_do(claude, settings, fault, words):
    claude.faults = [fault]
    with pytest.raises(ServiceError, match=words) as caught:
        ask(settings)
    assert caught.value.remedy


@pytest.mark.parametrize("status", [400, 402, 413, 422])
def test_a_refused_request_says_in_words_what_the_service_said(claude, settings, status):
    claude.faults = [Fault("status", status, "invalid_request_error")]
    with pytest.raises(ServiceError, match=r"refused the request: as told \(request req_01\)\.") as caught:
        ask(settings)
    assert not set("{}'") & set(str(caught.value)) and len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("key", ["sk-one\nsk-two", "sk one", "“sk-quoted”"])
def test_a_key_that_no_header_can_carry_is_refused_before_anything_is_sent(
    claude, settings, monkeypatch, key
):
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    with pytest.raises(SettingsError, match="ANTHROPIC_API_KEY") as caught:
        ask(settings)
    assert "sk" not in str(caught.value) and caught.value.remedy
    assert claude.requests == []


@pytest.mark.parametrize("address", ["nowhere", "http://[", "ftp://x", "http://\x01"])
def test_an_address_that_is_none_is_named(settings, monkeypatch, address):
    monkeypatch.setenv("ANTHROPIC_BASE_URL", address)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
    for call in (ask, reach):
        with pytest.raises(JungError) as caught:
            call(settings)
        assert "ANTHROPIC_BASE_URL" in str(caught.value)


def test_a_passing_overload_is_retried(claude, settings):
    claude.faults = [Fault("status", 529, "overloaded_error", retry_after="0.01")]
    assert ask(settings, max_retries=1).text == "Yes."
    assert len(claude.requests) == 2


def test_a_retired_model_is_named(claude, settings):
    with pytest.raises(ServiceError, match=r"claude-sonnet-4-20250514.*retired") as caught:
        ask(settings, model="claude-sonnet-4-20250514")
    assert "JUNG_MODEL" in caught.value.remedy


def test_a_slow_service_times_out(claude, settings):
    claude.faults = [Fault("stall", seconds=1.0)]
    with pytest.raises(ServiceError, match=r"within 0.2 seconds"):
        ask(settings, timeout=0.2)


def test_nobody_listening(settings, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
    with pytest.raises(ServiceError, match="could not be reached"):
        ask(settings)


def test_without_a_key_nothing_is_tried(settings, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(SettingsError, match="ANTHROPIC_API_KEY"):
        ClaudeAnswerer(settings)


def test_reach_says_which_model_answers(claude, settings):
    assert reach(settings) == "claude-sonnet-5-5"
    with pytest.raises(ServiceError, match="does not know the model"):
        reach(settings.model_copy(update={"model": "claude-of-old"}))
