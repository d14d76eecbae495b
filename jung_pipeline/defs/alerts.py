"""The sensor that tells the owner what failed: a request to the webhook of the settings for every failed run."""

import dagster as dg

from jung_pipeline import alerting
from jung_pipeline.defs.resources import Library
from jung_pipeline.errors import JungError


@dg.run_failure_sensor(
    default_status=dg.DefaultSensorStatus.RUNNING,
    minimum_interval_seconds=30,
    description="Posts a JSON document about every failed run to the setting alert_webhook: volume, check, what to do. "
    "Without that setting it does nothing.",
)
def failed_runs(context: dg.RunFailureSensorContext, library: Library) -> dg.SkipReason | None:
    """Alert about one failed run."""
    settings = library.settings()
    if settings.alert_webhook is None:
        return dg.SkipReason("The setting alert_webhook is not set.")
    run = context.dagster_run
    if run.tags.get("dagster/will_retry") == "true":
        return dg.SkipReason("It is tried again by itself.")
    try:
        volume = library.volume(run.tags["dagster/partition"])
    except (JungError, KeyError):  # a run about no volume, or about one that is gone by now
        volume = None
    alert = alerting.document(
        job=run.job_name, run_id=run.run_id, problem=_problem(context), volume=volume, settings=settings
    )
    try:
        alerting.send(settings.alert_webhook.get_secret_value(), alert)
    except JungError as error:
        # To fail here would end in the same: the sensor does not come back to a run that it has seen.
        context.log.error(str(error))
        return dg.SkipReason(str(error))
    return None


def _problem(context: dg.RunFailureSensorContext) -> str:
    """What the run said last, in one line; the first step that failed knows more than the run."""
    for event in context.get_step_failure_events():
        failure = event.step_failure_data
        described = failure.user_failure_data.description if failure.user_failure_data else None
        error = failure.error.cause or failure.error if failure.error else None
        text = described or (error.message if error else "")
        if text:
            return text.strip().splitlines()[0]
    return (context.failure_event.message or "").strip().splitlines()[0]


ALL = [failed_runs]
