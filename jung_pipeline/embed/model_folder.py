"""What a sentence-transformers model says of itself, read from its own files without loading it.

``jung status`` and plans ask what a model is far more often than they embed, and loading one takes seconds. The
embedder compares what was read here with the loaded model, so that neither can be wrong in silence.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

from jung_pipeline.embed.embedder import EmbedderSpec
from jung_pipeline.errors import EmbeddingError

#: Names under which models keep the prompt for what is searched, and for what is asked, best first.
_PASSAGE_PROMPTS, _QUERY_PROMPTS = ("passage", "document"), ("query",)
_WEIGHTS = ("*.safetensors", "*.bin", "*/*.safetensors", "*/*.bin")
_SAMPLE = 1 << 16
_REMEDY = (
    "Set JUNG_SENTENCE_TRANSFORMERS_MODEL to the folder of a sentence-transformers model (one that has "
    "modules.json), or to its name at Hugging Face, where it is downloaded from once."
)


def spec_of(model: str, passage_prefix: str | None = None, query_prefix: str | None = None) -> EmbedderSpec:
    """What the model at ``model`` (a folder, or a name at Hugging Face) states: dimension, limit, prefixes.

    Args:
        model: Folder or name.
        passage_prefix: Instead of the model's own prompt for passages, which many models do not state.
        query_prefix: The same for questions.

    Raises:
        EmbeddingError: it cannot be had, or does not state its dimension or its limit.
    """
    folder = folder_of(model)
    own = _json(folder / "config_sentence_transformers.json").get("prompts") or {}
    return EmbedderSpec(
        model=f"{_name(model)}-{_fingerprint(folder)}",
        dimension=_dimension(folder),
        max_tokens=_max_tokens(folder),
        passage_prefix=_prompt(own, _PASSAGE_PROMPTS) if passage_prefix is None else passage_prefix,
        query_prefix=_prompt(own, _QUERY_PROMPTS) if query_prefix is None else query_prefix,
    )


@cache
def folder_of(model: str) -> Path:
    """The folder of ``model``: itself, or where Hugging Face's library keeps it, downloaded now if need be."""
    path = Path(model).expanduser()
    if path.is_dir():
        found = path.resolve()
    elif path.is_absolute() or model.count("/") > 1 or not model:
        raise EmbeddingError(f"There is no folder {model!r}.", remedy=_REMEDY)
    else:
        found = _from_hub(model)
    if not (found / "modules.json").is_file():
        raise EmbeddingError(f"{model} is no sentence-transformers model: no modules.json.", remedy=_REMEDY)
    return found


def _from_hub(model: str) -> Path:
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise EmbeddingError(
            f"There is no folder {model!r}, and huggingface_hub, which would look for it elsewhere, is not installed.",
            remedy="pip install 'jung-pipeline[sentence-transformers]'",
        ) from error
    try:
        return Path(snapshot_download(model, local_files_only=True))
    except Exception:  # not here yet
        try:
            return Path(snapshot_download(model))
        except Exception as error:  # whatever the network or the service says
            said = " ".join(str(error).split())[:200]
            raise EmbeddingError(f"The model {model} cannot be had ({said}).", remedy=_REMEDY) from error


def _name(model: str) -> str:
    """The last part of the model's name, as ASCII that can be part of a file's name."""
    last = Path(model).expanduser().name or "model"
    return (
        "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "-" for c in last)[:60].strip("-.")
        or "model"
    )


@cache
def _fingerprint(folder: Path) -> str:
    """Eight hex that tell one model from another: its configuration, and its weights by size and by samples."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.json")):
        if path.name not in ("tokenizer.json", "vocab.json"):
            digest.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes())
    for path in sorted({path for pattern in _WEIGHTS for path in folder.glob(pattern)}):
        size = path.stat().st_size
        digest.update(f"{path.relative_to(folder)}\0{size}\0".encode())
        with path.open("rb") as file:
            for place in range(8):
                file.seek(max(0, size - _SAMPLE) * place // 7)
                digest.update(file.read(_SAMPLE))
    return digest.hexdigest()[:8]


def _modules(folder: Path) -> list[tuple[str, dict[str, Any]]]:
    """Type and configuration of each module, in the order in which a text goes through them."""
    modules = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
    return [
        (str(module["type"]).rpartition(".")[2], _json(folder / module["path"] / "config.json"))
        for module in modules
    ]


def _dimension(folder: Path) -> int:
    """Numbers of a vector: what the last module that states a width gives."""
    found = None
    for kind, config in _modules(folder):
        if kind == "Pooling":
            width = config.get("embedding_dimension") or config.get("word_embedding_dimension")
            modes = config.get("pooling_mode")
            count = (
                len(modes)
                if isinstance(modes, list)
                else 1
                if isinstance(modes, str)
                else sum(value is True for name, value in config.items() if name.startswith("pooling_mode_"))
            )
            found = width * count if width else found
        elif kind in ("Dense", "LSTM", "CNN"):
            found = config.get("out_features") or found
    cut = _json(folder / "config_sentence_transformers.json").get("truncate_dim")
    found = min(found, cut) if found and cut else found
    if not found:
        raise EmbeddingError(
            f"The model in {folder} does not state how long its vectors are.", remedy=_REMEDY
        )
    return int(found)


def _max_tokens(folder: Path) -> int:
    """Tokens it reads, special tokens counted: its own limit, else that of its tokenizer and its positions."""
    own = _json(folder / "sentence_bert_config.json").get("max_seq_length")
    if not own:
        tokenizer, config = _json(folder / "tokenizer_config.json"), _json(folder / "config.json")
        limits = [tokenizer.get("model_max_length"), config.get("max_position_embeddings")]
        known = [int(limit) for limit in limits if limit and limit < 1_000_000]
        own = min(known, default=None)
    if not own:
        raise EmbeddingError(
            f"The model in {folder} does not state how many tokens it reads.", remedy=_REMEDY
        )
    return int(own)


def _prompt(prompts: dict[str, str], names: tuple[str, ...]) -> str:
    return next((prompts[name] for name in names if prompts.get(name)), "")


def _json(path: Path) -> dict[str, Any]:
    """The object in a JSON file; empty where there is none."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise EmbeddingError(
            f"{path} cannot be read ({error}).", remedy="Download the model again."
        ) from error
    return values if isinstance(values, dict) else {}
