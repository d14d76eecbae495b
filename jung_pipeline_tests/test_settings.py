"""Settings: environment over file over default, errors that name the setting, secrets that do not print."""

from __future__ import annotations

from pathlib import Path

import pytest

from jung_pipeline import settings
from jung_pipeline.errors import SettingsError


def test_environment_wins_over_the_file_and_the_file_over_the_default(tmp_path, monkeypatch):
    (tmp_path / "jung.toml").write_text("top_k = 9\nkeep = 4\nchunk = { target = 300 }\n", encoding="utf-8")
    monkeypatch.setenv("JUNG_KEEP", "5")
    monkeypatch.setenv("JUNG_CHUNK__MAX", "500")
    found = settings.load(tmp_path)
    assert (found.top_k, found.keep, found.chunk.target, found.chunk.max, found.chunk.min) == (
        9,
        5,
        300,
        500,
        80,
    )


def test_jung_home_names_the_library(tmp_path, monkeypatch):
    monkeypatch.setenv("JUNG_HOME", str(tmp_path / "books"))
    assert settings.load().home == (tmp_path / "books").resolve()
    assert settings.load(tmp_path / "other").home == (tmp_path / "other").resolve()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("top_k = 0\n", "top_k"),
        ("topk = 3\n", "top_k"),
        ('store = "faiss"\n', "store"),
        ("min_score = nan\n", "min_score"),
        ("chunk = 5\n", "chunk"),
        ("chunk = { targt = 300 }\n", "chunk.target"),
        ("chunk = { target = 700 }\n", "target 700 and max 600"),
        ("chunk = { min = 500 }\n", "min 500, target 400"),
        ("= 3", "jung.toml"),
        ("top_k = 3 # für", "jung.toml"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path, text, named):
    (tmp_path / "jung.toml").write_text(text, encoding="latin-1")
    with pytest.raises(SettingsError) as error:
        settings.load(tmp_path)
    assert named in str(error.value)
    assert "Value error" not in str(error.value)
    assert error.value.exit_code == 2 and error.value.remedy


@pytest.mark.parametrize(
    ("variable", "value", "named"),
    [
        ("JUNG_CHUNK", "abc", "JUNG_CHUNK__TARGET"),
        ("JUNG_CHUNK", "3", "chunk"),
        ("JUNG_CHUNK__TARGT", "3", "chunk.target"),
        ("JUNG_CHUNK__MAX", "300", "target 400 and max 300"),
        ("JUNG_TOP_K", "many", "JUNG_TOP_K"),
        ("JUNG_TOPK", "3", "JUNG_TOP_K"),
        ("JUNG_TYPO", "1", "JUNG_TYPO"),
        ("jung_stor", "pinecone", "JUNG_STORE"),
        ("JUNG_TIMEOUT", "inf", "JUNG_TIMEOUT"),
    ],
)
def test_a_wrong_variable_is_named(tmp_path, monkeypatch, variable, value, named):
    monkeypatch.setenv(variable, value)
    with pytest.raises(SettingsError) as error:
        settings.load(tmp_path)
    assert named in str(error.value) and error.value.remedy


def test_an_empty_variable_is_not_set_and_some_are_no_settings(tmp_path, monkeypatch):
    for variable in ("JUNG_TOP_K", "JUNG_PINECONE_HOST", "JUNG_NOTHING"):
        monkeypatch.setenv(variable, "")
    for variable in ("JUNG_HOME", "JUNG_DEBUG", "JUNG_CORPUS_DIR"):
        monkeypatch.setenv(variable, "1")
    found = settings.load(tmp_path)
    assert (found.top_k, found.pinecone_host) == (6, None)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda home: home.write_text("a file"), "is a file"),
        (lambda home: home.symlink_to(home), "cannot be used"),
        (lambda home: (home / "jung.toml").mkdir(parents=True), "jung.toml is a folder"),
    ],
)
def test_a_folder_that_can_be_no_library_is_refused_with_the_remedy(tmp_path, monkeypatch, make, says):
    home = tmp_path / "home"
    make(home)
    monkeypatch.setenv("JUNG_HOME", str(home))
    with pytest.raises(SettingsError, match=says) as error:
        settings.load()
    assert str(home) in str(error.value) and error.value.remedy


def test_a_home_of_nobody_is_refused():
    with pytest.raises(SettingsError, match="cannot be used"):
        settings.load(Path("~no-such-user/books"))


@pytest.mark.parametrize("key", ["sk-a\nsk-b", "sk a", "sk-\u201dquoted"])
def test_a_key_that_can_be_none_is_refused_without_being_shown(monkeypatch, key):
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    with pytest.raises(SettingsError, match="ANTHROPIC_API_KEY") as error:
        settings.secret("ANTHROPIC_API_KEY")
    assert "sk" not in str(error.value)


def test_a_secret_is_taken_from_the_environment_alone_and_does_not_print(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-very-secret")
    key = settings.secret("ANTHROPIC_API_KEY")
    assert key.get_secret_value() == "sk-very-secret"
    assert "very-secret" not in f"{key} {key!r} {settings.load(tmp_path)!r}"
    monkeypatch.setenv("ANTHROPIC_API_KEY", "  ")
    assert settings.secret("ANTHROPIC_API_KEY") is None
