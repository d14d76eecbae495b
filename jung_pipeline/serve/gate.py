"""How much is done at once: a bounded number at work, a bounded number waiting, the rest told to come again."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from types import TracebackType


class Busy(Exception):
    """Too much is asked just now; ``retry_after`` is when to ask again, in seconds."""

    def __init__(self, retry_after: int, says: str) -> None:
        super().__init__(says)
        self.retry_after = retry_after


class Gate:
    """Lets ``at_once`` through, keeps ``waiting`` at the door in order of coming, refuses the others."""

    def __init__(self, at_once: int, waiting: int) -> None:
        """Both are counts of requests."""
        self._free = asyncio.Semaphore(at_once)
        self._room = at_once + waiting
        self._inside = 0

    async def __aenter__(self) -> None:
        if self._inside >= self._room:
            raise Busy(2, "Too many questions at once.")
        self._inside += 1
        try:
            await self._free.acquire()
        except BaseException:
            self._inside -= 1
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._free.release()
        self._inside -= 1


class Rate:
    """At most ``per_minute`` requests a minute from one address, with bursts of a quarter of that."""

    #: Addresses remembered; the ones not seen for longest are forgotten first.
    _MOST = 10_000

    def __init__(self, per_minute: int) -> None:
        """``per_minute`` 0: no limit."""
        self._per_second = per_minute / 60
        self._burst = max(1.0, per_minute / 4)
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str) -> None:
        """Count one request.

        Raises:
            Busy: this address has asked too often.
        """
        if not self._per_second:
            return
        now = time.monotonic()
        left, then = self._left.pop(address, (self._burst, now))
        left = min(self._burst, left + (now - then) * self._per_second)
        self._left[address] = (max(0.0, left - 1), now)
        while len(self._left) > self._MOST:
            self._left.popitem(last=False)
        if left < 1:
            raise Busy(max(1, round((1 - left) / self._per_second)), "Too many questions from this address.")
