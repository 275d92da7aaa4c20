/** One answer to `tools/call`: a status, a result as JSON, or the text of an event stream that stays open or ends. */
export interface CallAnswer {
  status?: number;
  json?: object;
  events?: string;
  /** Keeps the stream open until the client leaves, and is called then. */
  left?: () => void;
}

export type Answering = (request: Request) => Response | Promise<Response>;

export interface Answers {
  call: () => CallAnswer | Promise<CallAnswer>;
  /** Without it, GETs get 405: the server sends no notifications, and no rest of a broken answer. */
  get?: Answering;
}

export type SeenRequest = Pick<Request, "method" | "url" | "headers">;

export interface HttpServer extends AsyncDisposable {
  url: string;
  requests: SeenRequest[];
  /** Returns the received JSON-RPC messages of this method. */
  messages(method: string): Record<string, unknown>[];
  /** Returns the number of opened sessions. */
  sessions(): number;
}

/**
 * Starts a server on loopback with one answer for all requests, or one that speaks MCP over Streamable HTTP with these answers to calls,
 * and to GETs.
 */
export function startHttpServer(behaviour: Answering | Answers): HttpServer {
  const requests: SeenRequest[] = [];
  const messages: Record<string, unknown>[] = [];
  let sessions = 0;
  const speak = async (request: Request, { call, get }: Answers): Promise<Response> => {
    if (request.method === "GET" && get !== undefined) return await get(request);
    if (request.method !== "POST")
      return new Response(null, { status: request.method === "DELETE" ? 200 : 405 });
    const message = (await request.json()) as Record<string, unknown>;
    messages.push(message);
    const { id, method, params } = message;
    const answer = (result: object, headers = {}) =>
      Response.json({ jsonrpc: "2.0", id, result }, { headers });
    if (method === "initialize") {
      sessions++;
      const { protocolVersion } = params as { protocolVersion: string };
      const about = {
        protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "staged", version: "1" },
      };
      return answer(about, { "mcp-session-id": `session-${sessions}` });
    }
    if (method === "tools/list")
      return answer({ tools: [{ name: "echo", inputSchema: { type: "object" } }] });
    if (method !== "tools/call") return new Response(null, { status: 202 });
    const { status = 200, json, events, left } = await call();
    if (json !== undefined) return answer(json);
    if (events === undefined) return new Response("gone", { status });
    return eventsOf(events, left);
  };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: (request) => {
      const { method, url, headers } = request;
      // A request's own headers are not readable after its answer.
      requests.push({ method, url, headers: new Headers(headers) });
      return typeof behaviour === "function" ? behaviour(request) : speak(request, behaviour);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    messages: (method) => messages.filter((message) => message.method === method),
    sessions: () => sessions,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** Answers with the text of an event stream; with `left`, the stream stays open until the client leaves. */
export function eventsOf(text: string, left?: () => void): Response {
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      if (left === undefined) controller.close();
    },
    cancel: () => left?.(),
  });
  return new Response(stream, { headers: { "content-type": "text/event-stream" } });
}

/** Returns a tool's result of one text. */
export const result = (text: string) => ({ content: [{ type: "text", text }] });

/** Answers with a web page. */
export const html = () =>
  new Response("<html>Please log in</html>", { headers: { "content-type": "text/html" } });

/** Answers with a status and a text. */
export const status = (code: number) => () => new Response("secret words of the server", { status: code });
