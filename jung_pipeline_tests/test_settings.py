"""Settings: environment over file over default, errors that name the setting, secrets that do not print."""

from __future__ import annotations

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
    [("top_k = 0\n", "top_k"), ("topk = 3\n", "topk"), ('store = "faiss"\n', "store"), ("= 3", "jung.toml")],
)
def test_a_wrong_setting_is_named(tmp_path, text, named):
    (tmp_path / "jung.toml").write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as error:
        settings.load(tmp_path)
    assert named in str(error.value)
    assert error.value.exit_code == 2


def test_a_secret_is_taken_from_the_environment_alone_and_does_not_print(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-very-secret")
    key = settings.secret("ANTHROPIC_API_KEY")
    assert key.get_secret_value() == "sk-very-secret"
    assert "very-secret" not in f"{key} {key!r} {settings.load(tmp_path)!r}"
    monkeypatch.setenv("ANTHROPIC_API_KEY", "  ")
    assert settings.secret("ANTHROPIC_API_KEY") is None
