// @ts-check
/** Longest event of a stream, in characters. An answer without an end must not fill the memory. */
const eventLengthMax = 16 * 1024 * 1024;

/** A refusal of the server, or an answer that cannot be understood. `status` is 0 if there was no answer. */
export class ArgosyError extends Error {
  /**
   * @param {string} message
   * @param {{status?: number, code?: string, hint?: string, problems?: object[], retryAfterSeconds?: number, cause?: unknown}} [facts]
   */
  constructor(message, facts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = "ArgosyError";
    this.status = facts.status ?? 0;
    this.code = facts.code ?? "unknown";
    this.hint = facts.hint;
    this.problems = facts.problems ?? [];
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }
}

/** Calls the daemon of one Argosy. Needs nothing but `fetch`: Node.js 18, Bun, Deno, browsers. */
export class Argosy {
  #baseUrl;
  #token;
  #fetch;

  /** @param {import("./client.d.ts").ArgosyOptions} [options] */
  constructor({ baseUrl = "http://127.0.0.1:8000", token, fetch = globalThis.fetch } = {}) {
    const url = new URL(baseUrl);
    if (!["http:", "https:"].includes(url.protocol)) throw new TypeError(`baseUrl must be an http or https address, got ${baseUrl}`);
    if (url.username !== "" || url.search !== "" || url.hash !== "")
      throw new TypeError("baseUrl must have no user, query or fragment");
    // A header with a line break would end the header; a space around a copied token is a mistake.
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) throw new TypeError("token must be ASCII without spaces and line breaks");
    this.#baseUrl = url.href.replace(/\/+$/, "");
    this.#token = token;
    this.#fetch = fetch;
  }

  /** @param {{signal?: AbortSignal}} [options] */
  async agents(options = {}) {
    return (await this.#json("GET", "/v1/agents", undefined, options)).agents;
  }

  /** @param {string} name @param {{signal?: AbortSignal}} [options] */
  agent(name, options = {}) {
    return this.#json("GET", `/v1/agents/${segment(name)}`, undefined, options);
  }

  /** @param {string} agent @param {any} request @param {{signal?: AbortSignal}} [options] */
  run(agent, request, options = {}) {
    return this.#json("POST", `/v1/agents/${segment(agent)}/run`, asRequest(request), options);
  }

  /** @param {string} agent @param {any} request @param {{signal?: AbortSignal}} [options] */
  async *stream(agent, request, options = {}) {
    const path = `/v1/agents/${segment(agent)}/run`;
    const response = await this.#send("POST", path, asRequest(request), "text/event-stream", options);
    if (!(response.headers.get("content-type") ?? "").startsWith("text/event-stream") || response.body === null)
      throw new ArgosyError("The server did not answer with a stream of events.", { status: response.status });
    let ended = false;
    for await (const data of eventsOf(response.body)) {
      const frame = parsed(data, response.status);
      ended ||= ["done", "error", "approval_required", "tool_result_required"].includes(frame.type);
      yield frame;
    }
    if (!ended) throw new ArgosyError("The stream ended before the run did.", { status: response.status, code: "stream_cut" });
  }

  /** @param {string} agent @param {any} request @param {{signal?: AbortSignal}} [options] */
  async *text(agent, request, options = {}) {
    for await (const frame of this.stream(agent, request, options)) {
      if (frame.type === "token") yield frame.content;
      if (frame.type === "error")
        throw new ArgosyError(frame.message, { status: 200, code: frame.error });
    }
  }

  /** @param {string} agent @param {string} session @param {{signal?: AbortSignal}} [options] */
  history(agent, session, options = {}) {
    return this.#json("GET", `/v1/memory/${segment(agent)}/history/${segment(session)}`, undefined, options);
  }

  /** @param {string} id @param {any} [decision] @param {{signal?: AbortSignal}} [options] */
  approve(id, decision = {}, options = {}) {
    return this.#json("POST", `/v1/approvals/${segment(id)}/approve`, decision, options);
  }

  /** @param {string} id @param {any} [decision] @param {{signal?: AbortSignal}} [options] */
  reject(id, decision = {}, options = {}) {
    return this.#json("POST", `/v1/approvals/${segment(id)}/reject`, decision, options);
  }

  /** @param {string} id @param {any} result @param {{signal?: AbortSignal}} [options] */
  answerToolCall(id, result, options = {}) {
    return this.#json("POST", `/v1/tool-calls/${segment(id)}/result`, result, options);
  }

  /** @param {any} request @param {{signal?: AbortSignal}} [options] */
  retrieve(request, options = {}) {
    return this.#json("POST", "/v1/rag/query", request, options);
  }

  /** @param {any} request @param {{signal?: AbortSignal}} [options] */
  embed(request, options = {}) {
    return this.#json("POST", "/v1/embeddings", request, options);
  }

  /** @param {{signal?: AbortSignal}} [options] */
  async evals(options = {}) {
    return (await this.#json("GET", "/v1/evals", undefined, options)).evals;
  }

  /** @param {string} name @param {any} [order] @param {{signal?: AbortSignal}} [options] */
  startEval(name, order = {}, options = {}) {
    return this.#json("POST", `/v1/evals/${segment(name)}/runs`, order, options);
  }

  /** @param {string} name @param {any} [order] @param {{signal?: AbortSignal}} [options] */
  async runEval(name, order = {}, options = {}) {
    return this.waitForEval((await this.startEval(name, order, options)).id, options);
  }

  /** @param {{eval?: string, cursor?: string, limit?: number}} [query] @param {{signal?: AbortSignal}} [options] */
  evalRuns(query = {}, options = {}) {
    return this.#json("GET", `/v1/eval-runs${asQuery(query)}`, undefined, options);
  }

  /** @param {string} id @param {{signal?: AbortSignal}} [options] */
  evalRun(id, options = {}) {
    return this.#json("GET", `/v1/eval-runs/${segment(id)}`, undefined, options);
  }

  /** @param {string} id @param {{signal?: AbortSignal}} [options] */
  async waitForEval(id, options = {}) {
    const path = `/v1/eval-runs/${segment(id)}/events`;
    const response = await this.#send("GET", path, undefined, "text/event-stream", options);
    if (response.body === null) throw new ArgosyError("The server did not answer with a stream of events.", { status: response.status });
    for await (const data of eventsOf(response.body)) {
      const { type, error, message } = parsed(data, response.status);
      if (type === "done") return this.evalRun(id, options);
      if (type === "error") throw new ArgosyError(message, { status: 200, code: error });
    }
    throw new ArgosyError("The stream ended before the run did. Wait for it again.", { status: response.status, code: "stream_cut" });
  }

  /** @param {string} id @param {{state?: string, search?: string, target?: string, offset?: number, limit?: number}} [query] @param {{signal?: AbortSignal}} [options] */
  evalResults(id, query = {}, options = {}) {
    return this.#json("GET", `/v1/eval-runs/${segment(id)}/results${asQuery(query)}`, undefined, options);
  }

  /** @param {string} id @param {number} number @param {{signal?: AbortSignal}} [options] */
  evalResult(id, number, options = {}) {
    return this.#json("GET", `/v1/eval-runs/${segment(id)}/results/${segment(String(number))}`, undefined, options);
  }

  /** @param {string} before @param {string} after @param {{change?: string, search?: string, offset?: number, limit?: number}} [query] @param {{signal?: AbortSignal}} [options] */
  compareEvalRuns(before, after, query = {}, options = {}) {
    return this.#json("GET", `/v1/eval-runs/${segment(after)}/comparison${asQuery({ before, ...query })}`, undefined, options);
  }

  /** @param {string} id @param {"junit" | "json" | "html"} [format] @param {{signal?: AbortSignal}} [options] */
  async evalReport(id, format = "junit", options = {}) {
    return (await this.#send("GET", `/v1/eval-runs/${segment(id)}/report${asQuery({ format })}`, undefined, "*/*", options)).text();
  }

  /** @param {string} method @param {string} path @param {unknown} body @param {{signal?: AbortSignal}} options */
  async #json(method, path, body, options) {
    const response = await this.#send(method, path, body, "application/json", options);
    return parsed(await response.text(), response.status);
  }

  /** @param {string} method @param {string} path @param {unknown} body @param {string} accept @param {{signal?: AbortSignal}} options */
  async #send(method, path, body, accept, { signal }) {
    const headers = new Headers({ accept });
    if (this.#token !== undefined) headers.set("authorization", `Bearer ${this.#token}`);
    if (body !== undefined) headers.set("content-type", "application/json");
    const call = this.#fetch;
    let response;
    try {
      response = await call(`${this.#baseUrl}${path}`, {
        method,
        headers,
        // A redirect would carry the token to another host.
        redirect: "manual",
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      throw new ArgosyError(`No answer from ${this.#baseUrl}. Is \`argosy serve\` running?`, { code: "unreachable", cause });
    }
    if (!response.ok) throw await refusal(response);
    return response;
  }
}

/** @param {string} name */
function segment(name) {
  if (typeof name !== "string" || name === "" || name === "." || name === "..") throw new TypeError(`${JSON.stringify(name)} cannot be part of a path`);
  return encodeURIComponent(name);
}

/** @param {Record<string, string | number | undefined>} query */
function asQuery(query) {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

/** @param {any} request */
const asRequest = (request) => (typeof request === "string" ? { query: request } : request);

/** @param {string} text @param {number} status @returns {any} */
function parsed(text, status) {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ArgosyError(`The answer is not JSON: ${text.slice(0, 80)}`, { status, code: "not_json", cause });
  }
}

/** @param {Response} response */
async function refusal(response) {
  const { status, headers } = response;
  const text = await response.text().catch(() => "");
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  // The OpenAI-compatible routes have an object here.
  const inner = typeof body?.error === "object" && body.error !== null ? body.error : body;
  const code = typeof body?.error === "string" ? body.error : inner?.code;
  const wait = Number(headers.get("retry-after") ?? "");
  return new ArgosyError(inner?.message ?? `The server answered with status ${status}.`, {
    status,
    ...(code == null ? {} : { code }),
    ...(inner?.hint === undefined ? {} : { hint: inner.hint }),
    ...(Array.isArray(inner?.problems) ? { problems: inner.problems } : {}),
    ...(wait > 0 ? { retryAfterSeconds: wait } : {}),
  });
}

/**
 * Yields the data of each server-sent event. Leaving the loop early cancels the response, which cancels the run.
 * @param {ReadableStream<Uint8Array>} stream
 */
async function* eventsOf(stream) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let buffer = "";
  /** @type {string[]} */
  let data = [];
  let ended = false;
  try {
    while (true) {
      const { value, done } = await reader.read();
      buffer += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = buffer.split(/\r\n|\n|\r(?!$)/);
      buffer = lines.pop() ?? "";
      for (const line of lines) {
        if (line === "" && data.length > 0) {
          yield data.join("\n");
          data = [];
        } else if (line.startsWith("data:")) data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
      }
      if (buffer.length + data.reduce((sum, line) => sum + line.length, 0) > eventLengthMax)
        throw new ArgosyError("An event of the stream is longer than 16 MiB.", { code: "event_too_long" });
      if (done) {
        ended = true;
        return;
      }
    }
  } finally {
    if (!ended) await reader.cancel().catch(() => undefined);
  }
}
