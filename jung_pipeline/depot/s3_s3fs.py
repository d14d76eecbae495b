"""A depot in object storage that speaks S3, by s3fs (fsspec).

Credentials and address come from where AWS's tools take them: the environment (``AWS_ACCESS_KEY_ID``,
``AWS_ENDPOINT_URL``, …), its files, or the machine's role.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import s3fs
from botocore.exceptions import BotoCoreError, ClientError
from fsspec.asyn import sync

from jung_pipeline.depot.place import conflict
from jung_pipeline.errors import ServiceError

_Answer = TypeVar("_Answer")
#: Statuses and codes of a conditional request whose condition does not hold, or that met another one.
_NOT_SO = ("PreconditionFailed", "ConditionalRequestConflict", "412", "409")


class S3Depot:
    """See ``place.Depot``. Replacing is a PUT with ``If-Match`` or ``If-None-Match``; the tag is the ETag."""

    def __init__(self, url: str) -> None:
        """``url`` is ``s3://bucket/folder``."""
        self.url = url
        self.bucket, _, folder = url.removeprefix("s3://").partition("/")
        self._prefix = f"{folder}/" if folder else ""
        self._fs = s3fs.S3FileSystem(
            anon=False,
            use_listings_cache=False,
            skip_instance_cache=True,
            config_kwargs={"retries": {"max_attempts": 5}},
        )

    def get(self, name: str) -> tuple[bytes, str] | None:
        """See ``place.Depot``."""

        async def fetch() -> tuple[bytes, str]:
            answer = await self._fs._call_s3("get_object", Bucket=self.bucket, Key=self._prefix + name)
            async with answer["Body"] as body:
                return await body.read(), answer["ETag"]

        with self._told():
            try:
                return self._wait(fetch)
            except FileNotFoundError:
                self._wait(lambda: self._fs._call_s3("head_bucket", Bucket=self.bucket))
                return None

    def put(self, name: str, data: bytes, *, expected: str | None) -> str:
        """See ``place.Depot``."""
        condition = {"IfNoneMatch": "*"} if expected is None else {"IfMatch": expected}
        with self._told():
            try:
                answer = self._wait(
                    lambda: self._fs._call_s3(
                        "put_object", Bucket=self.bucket, Key=self._prefix + name, Body=data, **condition
                    )
                )
            except OSError as error:
                cause: Any = error
                while cause is not None and not isinstance(cause, ClientError):
                    cause = cause.__cause__
                code = cause.response.get("Error", {}).get("Code") if cause is not None else ""
                # What is to be replaced and is gone was taken away by somebody else.
                if code in _NOT_SO or (expected is not None and isinstance(error, FileNotFoundError)):
                    raise conflict(self.url, name) from None
                raise
        return str(answer["ETag"])

    def upload(self, path: Path, name: str) -> None:
        """See ``place.Depot``."""
        with self._told():
            self._fs.put_file(str(path), self._path(name))

    def download(self, name: str, path: Path) -> None:
        """See ``place.Depot``."""
        with self._told(missing_is_told=False):
            self._fs.get_file(self._path(name), str(path))

    def names(self, prefix: str) -> dict[str, str]:
        """See ``place.Depot``."""
        cut = len(f"{self.bucket}/{self._prefix}")
        with self._told():
            found = self._fs.find(self._path(prefix.rstrip("/")), detail=True)
        return {path[cut:]: facts["ETag"] for path, facts in found.items()}

    def delete(self, names: Iterable[str]) -> None:
        """See ``place.Depot``."""
        paths = [self._path(name) for name in names]
        if paths:
            with self._told(), contextlib.suppress(FileNotFoundError):
                self._fs.rm(paths)

    def _path(self, name: str) -> str:
        return f"{self.bucket}/{self._prefix}{name}"

    def _wait(self, ask: Callable[[], Awaitable[_Answer]]) -> _Answer:
        answer: _Answer = sync(self._fs.loop, ask)
        return answer

    @contextlib.contextmanager
    def _told(self, *, missing_is_told: bool = True) -> Iterator[None]:
        """Turn what the service, or the way to it, refuses into one error that says so."""
        try:
            yield
        except FileNotFoundError as error:
            if not missing_is_told:
                raise
            raise ServiceError(
                f"There is no bucket {self.bucket} ({error}).",
                remedy="Make it, or correct the setting data_url.",
            ) from error
        except (OSError, BotoCoreError) as error:
            denied = isinstance(error, PermissionError) or "credential" in str(error).lower()
            raise ServiceError(
                f"The depot {self.url} cannot be used ({str(error) or type(error).__name__}).",
                remedy="Look at AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and the rights of that user."
                if denied
                else "Look at the network and at AWS_ENDPOINT_URL, and run the same command again.",
            ) from error
