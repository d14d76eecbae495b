"""Pandas left out of a process that has no use for it."""

from __future__ import annotations

import importlib.abc
import sys


class _WithoutPandas(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        """Refuse pandas; let others find the rest."""
        if fullname == "pandas":
            raise ModuleNotFoundError("pandas is not needed here", name=fullname)


def leave_pandas_out() -> None:
    """Make pandas look absent in this process, for good.

    pyarrow imports it, where it is installed, to see whether it is given some of it: 90 MB, and as long as a
    short book takes. Only for processes that are ours from beginning to end.
    """
    if "pandas" not in sys.modules and not any(isinstance(f, _WithoutPandas) for f in sys.meta_path):
        sys.meta_path.insert(0, _WithoutPandas())
