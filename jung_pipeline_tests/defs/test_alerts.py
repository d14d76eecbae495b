"""Alerts: the owner's webhook is told which volume failed, at what, and what to do; never a secret."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import dagster as dg
import pytest

from jung_pipeline import alerting
from jung_pipeline import settings as settings_module
from jung_pipeline.definitions import build_definitions
from jung_pipeline.defs.alerts import failed_runs
from jung_pipeline.defs.instance import open_instance
from jung_pipeline.defs.resources import Library
from jung_pipeline.defs.running import Ingestion
from jung_pipeline.errors import ServiceError, SettingsError
from jung_pipeline.quality.outcome import outcome
from jung_pipeline.quality.record import write_outcomes
from jung_pipeline_tests.small_books import put_epub


@pytest.fixture
def webhook():
    """A web server that keeps what it is sent; ``answers`` are the next statuses, 200 after that."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            server.received.append(json.loads(body))
            self.send_response(server.answers.pop(0) if server.answers else 200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.received, server.answers = [], []
    server.url = f"http://127.0.0.1:{server.server_port}/hook-4711-secret"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def alert_about_the_last_failure(library):
    """Run the sensor on the failed run of this library, as the daemon does."""
    with open_instance(library) as instance:
        run = instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.FAILURE]))[0]
        events = instance.all_logs(run.run_id, of_type=dg.DagsterEventType.RUN_FAILURE)
        context = dg.build_run_status_sensor_context(
            "failed_runs", events[-1].dagster_event, instance, run
        ).for_run_failure()
        return failed_runs(context, library=Library(home=str(library.home)))


def test_the_webhook_is_told_the_volume_the_stage_and_the_remedy(library, webhook, monkeypatch):
    monkeypatch.setenv("JUNG_ALERT_WEBHOOK", webhook.url)
    monkeypatch.setenv("SOME_TOKEN", "secret-0815.pdf")  # the error names the file, and so would quote it
    (library.paths.library / "torn secret-0815.pdf").write_bytes(b"%PDF-1.4\n%")
    (result,) = Ingestion(settings_module.load()).run()
    assert result.status == "failed"
    alert_about_the_last_failure(library)
    (alert,) = webhook.received
    assert alert["volume"] == result.volume
    assert (alert["stage"], alert["check"]) == ("raw_text", None)
    assert alert["remedy"] and alert["command"] == f"jung status {result.volume}"
    assert result.volume in alert["text"] and alert["remedy"] in alert["text"]
    assert "torn •••" in alert["problem"] and "secret-0815.pdf" not in json.dumps(alert)
    assert "hook-4711" not in json.dumps(alert)


def test_a_failed_check_is_named(library):
    put_epub(library.paths.library, "north")
    list(Ingestion(library).run())
    volume = library.paths.catalogue().get("north")
    path = library.paths.checks("chunks", "north")
    version = json.loads(path.read_text())["data_version"]
    wrong = outcome("chunk_ids_are_unique", "No two passages have one id.", [{"chunk_id": "north#1"}] * 3)
    write_outcomes(path, version, [wrong])
    alert = alerting.document(job="ingest_volume", run_id="r", problem="", volume=volume, settings=library)
    assert (alert["volume"], alert["stage"], alert["check"]) == ("north", "chunks", "chunk_ids_are_unique")
    assert "3 offender" in alert["problem"] and "jung status north" in alert["remedy"]


def test_a_service_at_a_loss_is_tried_again_and_one_that_refuses_is_not(webhook):
    webhook.answers = [503, 503]
    pauses = []
    alerting.send(webhook.url, {"text": "once"}, pause=pauses.append)
    assert len(webhook.received) == 3 and pauses == sorted(pauses) and len(pauses) == 2
    webhook.answers = [404]
    with pytest.raises(ServiceError, match="status 404") as caught:
        alerting.send(webhook.url, {"text": "no"}, pause=pauses.append)
    assert len(webhook.received) == 4 and "hook-4711" not in str(caught.value)


def test_a_webhook_that_is_not_there_breaks_nothing(library, monkeypatch):
    monkeypatch.setenv("JUNG_ALERT_WEBHOOK", "http://127.0.0.1:9/hook-4711")
    monkeypatch.setattr(alerting, "PAUSES", (0.0, 0.0))
    (library.paths.library / "torn.pdf").write_bytes(b"%PDF-1.4\n%")
    list(Ingestion(settings_module.load()).run())
    said = alert_about_the_last_failure(library)
    assert isinstance(said, dg.SkipReason) and "not taken" in said.skip_message
    assert "hook-4711" not in said.skip_message


def test_without_the_setting_nobody_is_told_and_the_address_is_checked_and_never_shown(library, monkeypatch):
    (library.paths.library / "torn.pdf").write_bytes(b"%PDF-1.4\n%")
    list(Ingestion(library).run())
    assert "not set" in alert_about_the_last_failure(library).skip_message
    monkeypatch.setenv("JUNG_ALERT_WEBHOOK", "hooks.example/secret-0815")
    with pytest.raises(SettingsError, match="alert_webhook") as caught:
        settings_module.load()
    assert "0815" not in str(caught.value)
    monkeypatch.setenv("JUNG_ALERT_WEBHOOK", "https://hooks.example/secret-0815")
    assert "0815" not in repr(settings_module.load())


def test_addresses_lose_their_passwords():
    said = "cannot connect to postgresql://jung:geheim@db:5432/x with k-123456789"
    blotted = alerting.blotted(said, {"PINECONE_API_KEY": "k-123456789"})
    assert "geheim" not in blotted and "123456789" not in blotted and "db:5432" in blotted


def test_the_sensor_is_part_of_the_definitions_and_on(library):
    sensor = build_definitions().resolve_sensor_def("failed_runs")
    assert sensor.default_status == dg.DefaultSensorStatus.RUNNING
