"""The client: one method for each operation, and a generator for streams."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Union, cast
from urllib.parse import quote, urlencode, urlsplit

from . import types
from .transport import Answer, HttpxTransport, Transport, UrllibTransport

_LAST_FRAMES = {"done", "error", "approval_required", "tool_result_required"}


class ArgosyError(Exception):
    """A refusal of the server, or an answer that cannot be understood. `status` is 0 if there was no answer."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        code: str = "unknown",
        hint: str | None = None,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.hint = hint
        self.retry_after_seconds = retry_after_seconds


class Argosy:
    """Calls the daemon of one Argosy.

    `token` is the API token of an exposed daemon. `timeout` is in seconds and counts between two pieces of an answer. With `http`, an
    `httpx.Client` of yours sends the requests, with its own time limits and proxies.
    """

    def __init__(
        self,
        base_url: str = "http://127.0.0.1:8000",
        token: str | None = None,
        *,
        timeout: float = 300.0,
        http: Any = None,
    ) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"base_url must be an http or https address, got {base_url!r}")
        if parts.username is not None or parts.query or parts.fragment:
            raise ValueError("base_url must have no user, query or fragment")
        if token is not None and (not token or any(not "!" <= char <= "~" for char in token)):
            raise ValueError("token must be ASCII without spaces and line breaks")
        self._base_url = base_url.rstrip("/")
        self._token = token
        self._transport: Transport = UrllibTransport(timeout) if http is None else HttpxTransport(http)

    def agents(self) -> Any:
        return self._json("GET", "/v1/agents")["agents"]

    def agent(self, name: str) -> types.AgentDetails:
        return cast(types.AgentDetails, self._json("GET", f"/v1/agents/{_segment(name)}"))

    def run(self, agent: str, request: Union[str, types.RunRequest]) -> Union[types.RunResult, types.RunAwaiting]:
        """Runs an agent to its end, or until it waits for an approval or a tool of yours (`"status" in result`)."""
        return cast(types.RunResult, self._json("POST", f"/v1/agents/{_segment(agent)}/run", _request(request)))

    def stream(self, agent: str, request: Union[str, types.RunRequest]) -> Iterator[types.StreamFrame]:
        """Runs an agent and yields its frames. Closing the generator cancels the run."""
        path = f"/v1/agents/{_segment(agent)}/run"
        has_ended = False
        with self._send("POST", path, _request(request), "text/event-stream") as answer:
            self._require_success(answer)
            if not answer.headers.get("content-type", "").startswith("text/event-stream"):
                raise ArgosyError("The server did not answer with a stream of events.", status=answer.status)
            for data in _events(answer.lines):
                frame = _parsed(data, answer.status)
                has_ended = has_ended or frame.get("type") in _LAST_FRAMES
                yield cast(types.StreamFrame, frame)
        if not has_ended:
            raise ArgosyError("The stream ended before the run did.", status=200, code="stream_cut")

    def text(self, agent: str, request: Union[str, types.RunRequest]) -> Iterator[str]:
        """Runs an agent and yields the pieces of its answer. A failed run raises."""
        for each in self.stream(agent, request):
            frame = cast("dict[str, Any]", each)
            if frame["type"] == "token":
                yield frame["content"]
            elif frame["type"] == "error":
                raise ArgosyError(frame["message"], status=200, code=frame["error"])

    def history(self, agent: str, session: str) -> types.History:
        return cast(types.History, self._json("GET", f"/v1/memory/{_segment(agent)}/history/{_segment(session)}"))

    def approve(self, id: str, decision: types.Decision | None = None) -> Union[types.RunResult, types.RunAwaiting]:
        """Lets a waiting call happen; returns the end of its run."""
        return cast(types.RunResult, self._json("POST", f"/v1/approvals/{_segment(id)}/approve", decision or {}))

    def reject(self, id: str, decision: types.Decision | None = None) -> Union[types.RunResult, types.RunAwaiting]:
        return cast(types.RunResult, self._json("POST", f"/v1/approvals/{_segment(id)}/reject", decision or {}))

    def answer_tool_call(self, id: str, result: types.ToolCallResult) -> Union[types.RunResult, types.RunAwaiting]:
        """Gives the result of a client tool; returns the end of its run."""
        return cast(types.RunResult, self._json("POST", f"/v1/tool-calls/{_segment(id)}/result", result))

    def retrieve(self, request: types.RetrievalRequest) -> types.RetrievalResult:
        return cast(types.RetrievalResult, self._json("POST", "/v1/rag/query", request))

    def embed(self, request: types.EmbeddingRequest) -> types.EmbeddingResult:
        return cast(types.EmbeddingResult, self._json("POST", "/v1/embeddings", request))

    def evals(self) -> Any:
        """Evals of the workspace. These methods need a token that the daemon trusts: `trusted_senders: token` in runtime.yaml."""
        return self._json("GET", "/v1/evals")["evals"]

    def start_eval(self, name: str, order: types.EvalRunOrder | None = None) -> types.EvalRunBrief:
        return cast(types.EvalRunBrief, self._json("POST", f"/v1/evals/{_segment(name)}/runs", order or {}))

    def run_eval(self, name: str, order: types.EvalRunOrder | None = None) -> types.EvalRunDetail:
        """Starts a run and waits for its end."""
        run = cast("dict[str, Any]", self.start_eval(name, order))
        return self.wait_for_eval(run["id"])

    def eval_runs(self, **query: Union[str, int]) -> types.EvalRunList:
        """Runs, newest first; takes `eval`, `cursor` and `limit`."""
        return cast(types.EvalRunList, self._json("GET", f"/v1/eval-runs{_query(query)}"))

    def eval_run(self, id: str) -> types.EvalRunDetail:
        return cast(types.EvalRunDetail, self._json("GET", f"/v1/eval-runs/{_segment(id)}"))

    def wait_for_eval(self, id: str) -> types.EvalRunDetail:
        """Waits for the end of a run; returns it with its figures."""
        path = f"/v1/eval-runs/{_segment(id)}/events"
        with self._send("GET", path, None, "text/event-stream") as answer:
            self._require_success(answer)
            for data in _events(answer.lines):
                event = _parsed(data, answer.status)
                if event.get("type") == "done":
                    return self.eval_run(id)
                if event.get("type") == "error":
                    raise ArgosyError(event["message"], status=200, code=event["error"])
        raise ArgosyError("The stream ended before the run did. Wait for it again.", status=200, code="stream_cut")

    def eval_results(self, id: str, **query: Union[str, int]) -> types.EvalResultList:
        """Results of a run; takes `state`, `search`, `target`, `offset` and `limit`."""
        path = f"/v1/eval-runs/{_segment(id)}/results{_query(query)}"
        return cast(types.EvalResultList, self._json("GET", path))

    def eval_result(self, id: str, number: int) -> types.EvalResultDetail:
        """One result with its answers and checks."""
        path = f"/v1/eval-runs/{_segment(id)}/results/{_segment(str(number))}"
        return cast(types.EvalResultDetail, self._json("GET", path))

    def compare_eval_runs(self, before: str, after: str, **query: Union[str, int]) -> types.EvalComparisonPage:
        """Two runs case by case, regressions first; takes `change`, `search`, `offset` and `limit`."""
        path = f"/v1/eval-runs/{_segment(after)}/comparison{_query({'before': before, **query})}"
        return cast(types.EvalComparisonPage, self._json("GET", path))

    def eval_report(self, id: str, format: str = "junit") -> str:
        """The report of a run as the text of a file: `junit`, `json` or `html`."""
        path = f"/v1/eval-runs/{_segment(id)}/report{_query({'format': format})}"
        with self._send("GET", path, None, "*/*") as answer:
            self._require_success(answer)
            return str(answer.text())

    def _json(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        with self._send(method, path, body, "application/json") as answer:
            self._require_success(answer)
            return _parsed(answer.text(), answer.status)

    def _send(self, method: str, path: str, body: Any, accept: str) -> Any:
        headers = {"accept": accept}
        if self._token is not None:
            headers["authorization"] = f"Bearer {self._token}"
        if body is not None:
            headers["content-type"] = "application/json"
        encoded = None if body is None else json.dumps(body).encode()
        return _Reaching(self._transport.send(method, f"{self._base_url}{path}", headers, encoded), self._base_url)

    def _require_success(self, answer: Answer) -> None:
        if 200 <= answer.status < 300:
            return
        try:
            body = json.loads(answer.text())
        except ValueError:
            body = {}
        if not isinstance(body, dict):
            body = {}
        error = body.get("error")
        # The OpenAI-compatible routes have an object here.
        inner = error if isinstance(error, dict) else body
        wait = answer.headers.get("retry-after", "")
        raise ArgosyError(
            inner.get("message") or f"The server answered with status {answer.status}.",
            status=answer.status,
            code=(error if isinstance(error, str) else inner.get("code")) or "unknown",
            hint=inner.get("hint"),
            retry_after_seconds=float(wait) if wait.isdigit() else None,
        )


class _Reaching:
    """Turns a failure to connect into an ArgosyError."""

    def __init__(self, sending: Any, base_url: str) -> None:
        self._sending = sending
        self._base_url = base_url

    def __enter__(self) -> Answer:
        try:
            return cast(Answer, self._sending.__enter__())
        except ArgosyError:
            raise
        except Exception as fault:
            message = f"No answer from {self._base_url}. Is `argosy serve` running?"
            raise ArgosyError(message, code="unreachable") from fault

    def __exit__(self, *fault: Any) -> Any:
        return self._sending.__exit__(*fault)


def _segment(name: str) -> str:
    if not isinstance(name, str) or name in ("", ".", ".."):
        raise ValueError(f"{name!r} cannot be part of a path")
    return quote(name, safe="")


def _query(query: dict[str, Union[str, int]]) -> str:
    return f"?{urlencode(query)}" if query else ""


def _request(request: Union[str, types.RunRequest]) -> Any:
    return {"query": request} if isinstance(request, str) else request


def _parsed(text: str, status: int) -> dict[str, Any]:
    try:
        return cast("dict[str, Any]", json.loads(text))
    except ValueError as fault:
        raise ArgosyError(f"The answer is not JSON: {text[:80]}", status=status, code="not_json") from fault


def _events(lines: Iterator[str]) -> Iterator[str]:
    data: list[str] = []
    for line in lines:
        if line == "" and data:
            yield "\n".join(data)
            data = []
        elif line.startswith("data:"):
            data.append(line[6:] if line.startswith("data: ") else line[5:])
