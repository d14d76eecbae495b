"""The API keeps its own description: generated requests, right ones and wrong ones, by schemathesis."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from jung_pipeline.serve.app import create_app

schemathesis = pytest.importorskip("schemathesis")

from schemathesis.checks import not_a_server_error  # noqa: E402
from schemathesis.specs.openapi.checks import (  # noqa: E402
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
)


def test_every_answer_is_one_that_the_description_knows(demo_settings):
    public = create_app(demo_settings.model_copy(update={"serve_public": True, "serve_per_minute": 0}))
    described = schemathesis.openapi.from_asgi("/api/openapi.json", public)
    asked = []
    for found in described.get_all_operations():
        operation = found.ok()

        @given(case=operation.as_strategy())
        @settings(
            max_examples=5,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        def keeps_it(case):
            case.call_and_validate(checks=CHECKS)
            asked.append(case.operation.path)

        keeps_it()
    assert {"/api/query", "/api/works", "/api/passages/{chunk_id}", "/healthz"} <= set(asked)
