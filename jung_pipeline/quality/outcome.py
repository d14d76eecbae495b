"""What a check says: one shape for the rules of every stage.

A rule is a plain function from tables to :class:`CheckOutcome`. Dagster turns an outcome into an asset
check result, the command line prints it, and ``checks/<stage>/<volume>.json`` keeps it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Severity = Literal["error", "warning"]

#: Offenders that one outcome keeps; ``metrics["offenders"]`` has the whole number.
MAX_OFFENDERS = 20


@dataclass(frozen=True)
class CheckOutcome:
    """The outcome of one rule on one volume.

    Attributes:
        name: A statement in the present tense that holds when the check passes, as an identifier:
            ``chunk_ids_are_unique``.
        passed: Whether it holds.
        severity: ``error`` stops the volume, ``warning`` is shown.
        description: The rule in one sentence, for a reader who has not seen the code.
        metrics: Numbers and words worth plotting over time.
        offenders: The rows that break the rule, each with enough of an address to find it; at most
            :data:`MAX_OFFENDERS`.
    """

    name: str
    passed: bool
    severity: Severity
    description: str
    metrics: dict[str, int | float | str] = field(default_factory=dict)
    offenders: list[dict[str, Any]] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The outcome as JSON-able values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> CheckOutcome:
        """The outcome that :meth:`to_dict` wrote."""
        return cls(**values)


def outcome(
    name: str,
    description: str,
    offenders: Iterable[Mapping[str, Any]] = (),
    *,
    severity: Severity = "error",
    metrics: Mapping[str, int | float | str] | None = None,
) -> CheckOutcome:
    """An outcome that passes exactly when there are no ``offenders``.

    Their number goes into ``metrics["offenders"]``, the first :data:`MAX_OFFENDERS` into ``offenders``.
    """
    found = [dict(offender) for offender in offenders]
    return CheckOutcome(
        name=name,
        passed=not found,
        severity=severity,
        description=description,
        metrics={"offenders": len(found), **(metrics or {})},
        offenders=found[:MAX_OFFENDERS],
    )
