"""Answers by Claude, through the vendor's SDK with native citations. The only module that imports it.

A reply is used whole or not at all: a refusal, a cut, an empty text or a broken stream is an error that says
what to do. ``ANTHROPIC_BASE_URL`` points the unmodified SDK elsewhere (a proxy, a stand-in in tests).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

import anthropic

from jung_pipeline.errors import AnswerError, ServiceError, SettingsError
from jung_pipeline.query.answer import Reply, Segment, Usage
from jung_pipeline.query.citations import Source
from jung_pipeline.query.prices import AS_OF, price
from jung_pipeline.query.prompt import SOURCE_SCHEME, build_request
from jung_pipeline.settings import Settings, secret

#: Called with each piece of text as it arrives. Only a preview: the checked answer comes at the end.
TextListener = Callable[[str], None]
#: Characters of the service's own words that an error repeats.
_MOST_SAID = 300


class ClaudeAnswerer:
    """Writes answers with the model that the settings name."""

    def __init__(
        self, settings: Settings, *, on_text: TextListener | None = None, max_retries: int = 2
    ) -> None:
        """Take the key from the environment (``ANTHROPIC_API_KEY``).

        Raises:
            SettingsError: there is no key.
        """
        key = secret("ANTHROPIC_API_KEY")
        if key is None:
            raise SettingsError(
                "ANTHROPIC_API_KEY is not set.",
                remedy="Set it, or ask without a model: the answer is then quoted from the passages.",
            )
        self._settings = settings
        self._on_text = on_text
        try:
            self._client = anthropic.Anthropic(
                api_key=key.get_secret_value(), timeout=settings.timeout, max_retries=max_retries
            )
        except (anthropic.AnthropicError, ValueError, TypeError) as error:
            raise _not_an_address() from error
        except Exception as error:
            if not type(error).__module__.startswith("httpx"):
                raise
            raise _not_an_address() from error

    def answer(self, question: str, sources: Sequence[Source]) -> Reply:
        """The model's reply with the passages it names; see :class:`~jung_pipeline.query.answer.Answerer`."""
        pieces = self.stream(question, sources)
        while True:
            try:
                piece = next(pieces)
            except StopIteration as done:
                reply: Reply = done.value
                return reply
            if self._on_text:
                self._on_text(piece)

    def stream(self, question: str, sources: Sequence[Source]) -> Generator[str, None, Reply]:
        """The model's text as it comes in, a preview; what the generator returns is the reply.

        Closing the generator closes the connection, and the model stops writing.
        """
        request = build_request(question, sources, self._settings)
        try:
            with self._client.messages.stream(**request) as stream:
                for event in stream:
                    if event.type == "text" and event.text:
                        yield event.text
                message = stream.get_final_message()
        except anthropic.AnthropicError as error:
            raise _translated(error, self._settings) from error
        except (TypeError, ValueError, AssertionError) as error:  # an event the SDK could not take in
            raise ServiceError(
                f"The answer stream from Anthropic could not be read ({error}).", remedy="Ask again."
            ) from error
        except Exception as error:
            if not type(error).__module__.startswith("httpx"):
                raise
            raise ServiceError(
                f"The connection to Anthropic broke while the answer came in ({type(error).__name__}).",
                remedy="Ask again; nothing of the half answer was kept.",
            ) from error
        return _reply(message, sources, self._settings)


def reach(settings: Settings) -> str:
    """The model that the settings name, once the service has said that key and model are good.

    Raises:
        SettingsError: there is no key.
        ServiceError: the service cannot be reached, refuses the key, or does not know the model.
    """
    client = ClaudeAnswerer(settings, max_retries=0)._client
    try:
        return str(client.models.retrieve(settings.model).id)
    except anthropic.AnthropicError as error:
        raise _translated(error, settings) from error
    except ValueError as error:  # the name of a model is empty
        raise _unknown_model(settings) from error


def _not_an_address() -> SettingsError:
    return SettingsError(
        "ANTHROPIC_BASE_URL is not the address of a service.",
        remedy="Write it as https://…, or unset it.",
    )


def _unknown_model(settings: Settings) -> ServiceError:
    return ServiceError(
        f"Anthropic does not know the model {settings.model!r}; it may have been retired.",
        remedy="Set model (JUNG_MODEL) to a current one.",
    )


def _reply(message: Any, sources: Sequence[Source], settings: Settings) -> Reply:
    """The message as segments, or the error that its stop reason stands for."""
    _raise_unless_complete(message.stop_reason, settings)
    numbers = {SOURCE_SCHEME + source.passage.chunk_id: source.number for source in sources}
    segments = tuple(
        Segment(block.text, _cited(block.citations or (), numbers))
        for block in message.content
        if block.type == "text"
    )
    if not any(segment.text.strip() for segment in segments):
        raise AnswerError("The model sent no text.", remedy="Ask again, or put the question in other words.")
    usage = message.usage
    return Reply(
        segments=segments,
        model=message.model,
        usage=Usage(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            dollars=price(settings.model, usage.input_tokens, usage.output_tokens),
            prices_as_of=AS_OF,
        ),
    )


def _cited(citations: Sequence[Any], numbers: Mapping[str, int]) -> tuple[int, ...]:
    """Numbers of the passages that native citations name; one that was not sent is passed over."""
    named = (numbers.get(getattr(citation, "source", None) or "") for citation in citations)
    return tuple(dict.fromkeys(n for n in named if n is not None))


def _raise_unless_complete(stop_reason: str | None, settings: Settings) -> None:
    if stop_reason in ("end_turn", "stop_sequence"):
        return
    if stop_reason == "refusal":
        raise AnswerError(
            f"{settings.model} refused to answer this question.",
            remedy="Put it in other words, or read the passages themselves: `jung search`.",
        )
    if stop_reason == "max_tokens":
        raise AnswerError(
            f"The answer was cut off at the limit of {settings.max_tokens} tokens (thinking included).",
            remedy="Raise max_tokens, or lower effort.",
        )
    if stop_reason == "model_context_window_exceeded":
        raise AnswerError("The passages do not fit the model's window.", remedy="Lower keep.")
    if stop_reason is None:
        raise ServiceError(
            "The connection to Anthropic closed before the answer was complete.",
            remedy="Ask again; nothing of the half answer was kept.",
        )
    raise AnswerError(f"The model stopped early ({stop_reason}).", remedy="Ask again.")


def _translated(error: anthropic.AnthropicError, settings: Settings) -> ServiceError:
    """The SDK's error as ours, with the remedy that fits."""
    if isinstance(error, anthropic.APITimeoutError):
        return ServiceError(
            f"Anthropic did not answer within {settings.timeout:g} seconds.",
            remedy="Ask again, or raise timeout.",
        )
    if isinstance(error, anthropic.APIConnectionError):
        return ServiceError(
            "Anthropic could not be reached, or the connection was lost.",
            remedy="Check the network and ANTHROPIC_BASE_URL; `jung search` works without it.",
        )
    if isinstance(error, anthropic.APIStatusError):
        return _translated_status(error, settings)
    return ServiceError(f"Anthropic's client failed: {error}", remedy="Ask again.")


def _translated_status(error: anthropic.APIStatusError, settings: Settings) -> ServiceError:
    kind = getattr(error, "type", None) or ""
    status = error.status_code
    reference = f" (request {error.request_id})" if error.request_id else ""
    if status == 404 or kind == "not_found_error":
        return _unknown_model(settings)
    if status in (401, 403):
        return ServiceError("Anthropic refused the key.", remedy="Check ANTHROPIC_API_KEY.")
    if status == 429 or kind == "rate_limit_error":
        return ServiceError(
            "Anthropic's rate limit is reached, also after retries.", remedy="Wait a minute and ask again."
        )
    if status == 529 or kind == "overloaded_error":
        return ServiceError("Anthropic is overloaded, also after retries.", remedy="Ask again in a minute.")
    if status >= 500 or kind == "api_error":
        return ServiceError(
            f"Anthropic failed with an error of its own{reference}.", remedy="Ask again later."
        )
    said = _said(error.body)
    if "credit balance" in said or "billing" in said:
        remedy = "Look at the billing page of your Anthropic account; `jung ask --no-model` works without."
    else:
        remedy = "Check model, effort and max_tokens in the settings."
    return ServiceError(
        f"Anthropic refused the request{f': {said}' if said else f' (HTTP {status})'}{reference}.",
        remedy=remedy,
    )


def _said(body: object) -> str:
    """The service's own words in an error body, in one line; empty where it is none (a proxy's page, no JSON)."""
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        message = inner.get("message") if isinstance(inner, Mapping) else None
        if isinstance(message, str):
            return " ".join(message.split())[:_MOST_SAID].rstrip(".")
    return ""
