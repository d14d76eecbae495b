"""Alerts: what failed, as one JSON document to the owner's webhook.

The document says which volume, which check or stage, what is wrong, what to do, and the command to look closer.
It never holds a secret: whatever the environment keeps as one is blotted out, should an error ever quote it.
"""

from __future__ import annotations

import json
import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any

from jung_pipeline import freshness
from jung_pipeline.catalogue import Volume
from jung_pipeline.errors import ServiceError
from jung_pipeline.settings import Settings

#: Seconds for one request, and the seconds to wait before each further try.
TIMEOUT = 10.0
PAUSES = (1.0, 4.0)

#: Environment variables whose values are nobody's business, by what their names end in.
_SECRET = re.compile(r"(KEY|TOKEN|PASSWORD|SECRET|WEBHOOK|_PW|_URL)$")
_BLOTTED = "•••"


def about_volume(volume: Volume, settings: Settings) -> dict[str, Any]:
    """What is wrong with ``volume``: stage, check (null where the stage itself failed), problem and remedy."""
    for state in freshness.states(volume, settings):
        if state.status != "failed":
            continue
        for said in freshness.outcomes(volume, settings):
            if said["stage"] == state.stage and said["severity"] == "error" and not said["passed"]:
                number = said["metrics"].get("offenders", 0)
                return {
                    "stage": state.stage,
                    "check": said["name"],
                    "problem": f"not so: {said['description']} ({number:,} offender(s))",
                    "remedy": f"jung status {volume.key} names them.",
                }
        return {"stage": state.stage, "check": None, **freshness.failure(state.stage, volume, settings)}
    return {"stage": None, "check": None, "problem": "", "remedy": ""}


def document(
    *, job: str, run_id: str, problem: str, volume: Volume | None = None, settings: Settings
) -> dict[str, Any]:
    """The alert about a failed run. ``text`` alone says it all, which is what chat services show."""
    facts = about_volume(volume, settings) if volume else {}
    key = volume.key if volume else None
    command = f"jung status {key}" if key else "jung doctor"
    facts = {
        "stage": facts.get("stage"),
        "check": facts.get("check"),
        "problem": facts.get("problem") or problem or "the run ended without saying why",
        "remedy": facts.get("remedy") or f"{command} says more.",
    }
    where = f"{volume.title} ({key})" if volume else job.replace("_", " ")
    what = f"check {facts['check']}" if facts["check"] else facts["stage"] or "run"
    alert = {
        "text": f"{where}: {what} failed. {_sentence(facts['problem'])} {facts['remedy']}",
        "library": settings.home.name,
        "volume": key,
        "title": volume.title if volume else None,
        "job": job,
        "run_id": run_id,
        **facts,
        "command": command,
    }
    return {name: blotted(value) if isinstance(value, str) else value for name, value in alert.items()}


def _sentence(text: str) -> str:
    return text if text[-1:] in ".!?…" else f"{text}."


def blotted(text: str, environment: Mapping[str, str] | None = None) -> str:
    """``text`` without the secrets of the environment, and without user and password in an address."""
    secrets = [
        value
        for name, value in (environment if environment is not None else os.environ).items()
        if _SECRET.search(name.upper()) and len(value) >= 6
    ]
    for value in sorted(secrets, key=len, reverse=True):
        text = text.replace(value, _BLOTTED)
    return re.sub(r"://[^/\s@]+@", f"://{_BLOTTED}@", text)


def send(url: str, alert: Mapping[str, Any], *, pause: Callable[[float], object] = time.sleep) -> None:
    """Post ``alert`` to ``url`` as JSON; tried again while the other side cannot be reached or is at a loss.

    Raises:
        ServiceError: it was not taken. The address is not in the message: those of chat services are secrets.
    """
    body = json.dumps(alert, ensure_ascii=False).encode()
    headers = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "jung_pipeline"}
    for last, wait in ((False, PAUSES[0]), (False, PAUSES[1]), (True, 0.0)):
        request = urllib.request.Request(url, data=body, headers=headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT):
                return
        except urllib.error.HTTPError as error:
            if last or (error.code < 500 and error.code != 429):
                raise _not_taken(f"status {error.code}") from None
        except (OSError, ValueError) as error:
            if last:
                raise _not_taken(str(getattr(error, "reason", "") or type(error).__name__)) from None
        pause(wait)


def _not_taken(why: str) -> ServiceError:
    return ServiceError(
        f"The alert was not taken by the webhook ({blotted(why)}).",
        remedy="Look at the setting alert_webhook and at the service behind it.",
    )
