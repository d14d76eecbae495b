"""Who may read, what a browser may do, how much is done at once, and that leaving stops the model."""

from __future__ import annotations

import asyncio

import pytest
from pydantic import SecretStr

from jung_pipeline.demo.questions import demo_questions
from jung_pipeline.serve.app import create_app
from jung_pipeline.serve.asking import events
from jung_pipeline.serve.gate import Busy, Gate, Rate
from jung_pipeline.serve.models import Query
from jung_pipeline_tests.serve.conftest import call
from jung_pipeline_tests.standins.anthropic_server import Fault, Part, Script

TOKEN = "a-token-of-the-tests"
ANSWERED = demo_questions()[0].question


@pytest.fixture(scope="module")
def guarded(demo_settings):
    return create_app(demo_settings.model_copy(update={"serve_token": SecretStr(TOKEN)}))


def test_on_its_own_machine_the_room_is_open(guarded):
    assert call(guarded, "GET", "/").status_code == 200
    assert call(guarded, "GET", "/api/works").status_code == 200


@pytest.mark.parametrize(
    "options",
    [
        {"client": "192.0.2.7"},
        {"client": "192.0.2.7", "host": "localhost"},
        {"host": "rebound.example"},
        {"headers": {"x-forwarded-for": "192.0.2.7"}},
    ],
)
def test_from_elsewhere_a_token_is_needed(guarded, room, options):
    assert call(guarded, "GET", "/api/works", **options).status_code == 401
    assert call(guarded, "GET", "/", **options).status_code == 401
    assert call(room, "GET", "/api/works", **options).status_code == 403, "without a token nobody comes in"
    assert call(guarded, "GET", "/healthz", **options).status_code == 200


def test_the_token_lets_in_by_header_and_by_link(guarded):
    away = {"client": "192.0.2.7", "host": "room.example"}
    header = {"authorization": f"Bearer {TOKEN}"}
    assert call(guarded, "GET", "/api/works", headers=header, **away).status_code == 200
    assert (
        call(guarded, "GET", "/api/works", headers={"authorization": "Bearer wrong"}, **away).status_code
        == 401
    )
    assert call(guarded, "GET", "/login?token=wrong", **away).status_code == 401
    entered = call(guarded, "GET", f"/login?token={TOKEN}", **away)
    assert entered.status_code == 303 and entered.headers["location"] == "/"
    cookie = entered.headers["set-cookie"]
    assert TOKEN not in cookie and "HttpOnly" in cookie and "samesite=lax" in cookie.lower()
    kept = {"cookie": cookie.split(";")[0]}
    assert call(guarded, "GET", "/api/works", headers=kept, **away).status_code == 200


def test_a_page_of_another_site_may_not_ask(room):
    for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}):
        assert call(room, "POST", "/api/query", json={"question": "x"}, headers=headers).status_code == 403
        assert call(room, "GET", "/api/works", headers=headers).status_code == 403
    assert call(room, "GET", "/", headers={"sec-fetch-site": "cross-site"}).status_code == 200, (
        "a link to it works"
    )


def test_nothing_foreign_runs_in_the_page(room):
    policy = call(room, "GET", "/").headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'self'" in policy and "unsafe" not in policy
    assert "//" not in policy, "no other host is named"
    assert call(room, "GET", "/room.js").headers["x-content-type-options"] == "nosniff"


def test_beyond_what_can_wait_a_reader_is_told_to_come_again(demo_settings):
    app = create_app(demo_settings.model_copy(update={"serve_at_once": 1, "serve_waiting": 0}))

    async def while_one_is_at_work():
        async with app.state.desk.searching:
            return await asyncio.to_thread(call, app, "POST", "/api/query", json={"question": ANSWERED})

    refused = asyncio.run(while_one_is_at_work())
    assert refused.status_code == 503 and int(refused.headers["retry-after"]) >= 1
    assert refused.json()["error"]["kind"] == "Busy"
    assert call(app, "POST", "/api/query", json={"question": ANSWERED}).status_code == 200, (
        "and then it works"
    )


def test_who_waits_is_let_in_in_order_and_whoever_leaves_frees_the_place():
    async def story():
        gate, order = Gate(1, 2), []

        async def reader(name):
            async with gate:
                order.append(name)
                await asyncio.sleep(0)

        async with gate:
            first, leaves = asyncio.create_task(reader("first")), asyncio.create_task(reader("leaves"))
            await asyncio.sleep(0)
            with pytest.raises(Busy):
                async with gate:
                    pass
            leaves.cancel()
            await asyncio.sleep(0)
            second = asyncio.create_task(reader("second"))
            await asyncio.sleep(0)
        await asyncio.gather(first, second)
        async with gate:
            return order

    assert asyncio.run(story()) == ["first", "second"]


def test_one_address_may_ask_so_often_and_no_other_suffers():
    rate = Rate(per_minute=8)
    for _ in range(2):
        rate.take("one")
    with pytest.raises(Busy) as told:
        rate.take("one")
    assert told.value.retry_after >= 1
    rate.take("another")
    free = Rate(0)
    for _ in range(1000):
        free.take("one")


def test_a_model_s_answer_comes_as_it_grows_and_is_checked_at_the_end(room, claude):
    claude.script = Script([Part("The shadow is "), Part("a lodger.", [(0, 0, 1)])])

    async def asked():
        return [step async for step in events(room.state.desk, Query(question=ANSWERED))]

    steps = asyncio.run(asked())
    names = [step.name for step in steps]
    assert [name for name in names if name != "text"] == [
        "passages", "verdicts", "citations", "follow_ups", "answer", "done",
    ]  # fmt: skip
    texts = [step.data["text"] for step in steps if step.name == "text"]
    assert names[1 : 1 + len(texts)] == ["text"] * len(texts) and len(texts) > 1
    assert "".join(texts) == "The shadow is a lodger."
    answer = next(step.data for step in steps if step.name == "answer")
    assert (
        answer["model"]
        and answer["text"] == "The shadow is a lodger [1]."
        and answer["usage"]["output_tokens"]
    )


def test_a_model_that_fails_is_told_and_the_passages_stay(room, claude):
    claude.faults = [Fault("status", 400, "invalid_request_error")]

    async def asked():
        return [step async for step in events(room.state.desk, Query(question=ANSWERED))]

    steps = asyncio.run(asked())
    assert [step.name for step in steps] == ["passages", "error"]
    assert steps[0].data["passages"] and steps[1].data["error"]["message"]


def test_when_the_reader_leaves_the_model_is_stopped(room, claude):
    claude.faults = [Fault("trickle", seconds=120)]

    async def leaves():
        stream = events(room.state.desk, Query(question=ANSWERED))
        async for step in stream:
            if step.name == "text":
                break
        await stream.aclose()

    asyncio.run(leaves())
    assert claude.left.wait(100), "the call to the model has ended"
