"""Ctrl-C that Dagster takes and lets go of.

While a run is executed, Dagster holds an interrupt back until the next step begins, and forgets it where none does: one
that comes while the last step's records are written would stop nothing.
"""

import contextlib
import signal
import socket
import threading
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def interrupts_noticed() -> Iterator[Callable[[], None]]:
    """Gives a function that raises KeyboardInterrupt if an interrupt has come since, whoever has handled it.

    Python tells every signal to a file descriptor before any handler is called. Only the main thread has signals; in
    others the function does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        theirs.setblocking(False)

        def check() -> None:
            with contextlib.suppress(BlockingIOError):
                if {signal.SIGINT, signal.SIGTERM} & set(ours.recv(4096)):
                    raise KeyboardInterrupt

        before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
        try:
            yield check
        finally:
            signal.set_wakeup_fd(before)
