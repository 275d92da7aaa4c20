"""Two ways to send a request: urllib of the standard library, and an httpx client."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass
class Answer:
    status: int
    headers: Mapping[str, str]
    #: The lines of the body, without their line ends.
    lines: Iterator[str]

    def text(self) -> str:
        return "\n".join(self.lines)


class Transport(Protocol):
    def send(self, method: str, url: str, headers: dict[str, str], body: bytes | None) -> Any:
        """Returns a context manager of an Answer; leaving it closes the connection."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Redirects would pass the token on to another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


class UrllibTransport:
    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._opener = urllib.request.build_opener(_NoRedirect)

    @contextmanager
    def send(self, method: str, url: str, headers: dict[str, str], body: bytes | None) -> Iterator[Answer]:
        request = urllib.request.Request(url, data=body, headers=headers, method=method)
        try:
            response = self._opener.open(request, timeout=self._timeout)
        except urllib.error.HTTPError as refused:
            response = refused
        with response:
            lines = (line.decode("utf-8").rstrip("\r\n") for line in response)
            yield Answer(response.status, {k.lower(): v for k, v in response.headers.items()}, lines)


class HttpxTransport:
    def __init__(self, client: Any) -> None:
        self._client = client

    @contextmanager
    def send(self, method: str, url: str, headers: dict[str, str], body: bytes | None) -> Iterator[Answer]:
        with self._client.stream(method, url, headers=headers, content=body, follow_redirects=False) as response:
            yield Answer(response.status_code, {k.lower(): v for k, v in response.headers.items()}, _lines(response.iter_bytes()))


def _lines(pieces: Iterator[bytes]) -> Iterator[str]:
    """Splits at line feeds alone. httpx's own `iter_lines` also splits at characters such as U+2028, which JSON may
    contain, and keeps line ends before version 0.24."""
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            yield line.decode("utf-8").rstrip("\r")
    if rest:
        yield rest.decode("utf-8").rstrip("\r")
