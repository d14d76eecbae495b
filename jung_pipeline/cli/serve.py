"""``jung serve``: the reading room in the browser."""

from __future__ import annotations

import importlib.util
import secrets

import click
from rich.markup import escape

from jung_pipeline.cli.output import command, console, load_settings, print_json
from jung_pipeline.cli.showing import refuse_taken
from jung_pipeline.errors import EXIT_OK, UsageError


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, help="Port to listen on; 0 takes a free one.")
@command
def serve(host: str, port: int, as_json: bool) -> int:
    """The reading room: ask, read on in the pages of the books, wander in the concepts, in the browser.

    On its own machine it is open; on any other address (--host 0.0.0.0) readers need the link that is printed,
    which carries a token: JUNG_SERVE_TOKEN, or one made for this start. Stop it with Ctrl-C. With --json nothing is
    started; what would be is printed.
    """
    if importlib.util.find_spec("fastapi") is None or importlib.util.find_spec("uvicorn") is None:
        raise UsageError("The reading room is not installed.", remedy="pip install 'jung-pipeline[serve]'")
    import uvicorn
    from pydantic import SecretStr

    from jung_pipeline.serve.app import create_app
    from jung_pipeline.serve.safety import is_loopback

    settings = load_settings()
    if not is_loopback(host) and settings.serve_token is None and not settings.serve_public:
        settings = settings.model_copy(update={"serve_token": SecretStr(secrets.token_urlsafe(24))})
    if as_json:
        needs_token = not is_loopback(host) and not settings.serve_public
        print_json({"host": host, "port": port, "jung_home": str(settings.home), "needs_token": needs_token})
        return EXIT_OK
    if port:
        refuse_taken(host, port)
    config = uvicorn.Config(
        create_app(settings),
        host=host,
        port=port,
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=3,
        limit_concurrency=settings.serve_waiting + 100,
    )
    listening = config.bind_socket()
    address = f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}/"
    console.print(
        f"Reading room of {escape(str(settings.home))} on {address} (Ctrl-C stops it)", soft_wrap=True
    )
    if settings.serve_token and not is_loopback(host):
        token = settings.serve_token.get_secret_value()
        console.print(f"Readers come in by {address}login?token={escape(token)}", soft_wrap=True)
    uvicorn.Server(config).run(sockets=[listening])
    return EXIT_OK
