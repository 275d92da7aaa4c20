import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { serviceFetch } from "../../src/kit/fetch/service-fetch.ts";
import { readSse } from "../../src/kit/fetch/sse.ts";

/** The official client, connected to a daemon's `/mcp`. */
export interface McpClient extends AsyncDisposable {
  client: Client;
  transport: StreamableHTTPClientTransport;
  /** The negotiated protocol revision. */
  revision: string | undefined;
  /** Resolves when the stream for notifications is open, which the client opens by itself. */
  listening: Promise<void>;
}

export interface McpClientOptions {
  /** The revision to request; the client's own latest by default. */
  revision?: string;
  headers?: Record<string, string>;
}

/** Connects the official client to the daemon at `url`; the session ends with the block. */
export async function connectMcp(url: string, options: McpClientOptions = {}): Promise<McpClient> {
  const { revision, headers = {} } = options;
  const listening = Promise.withResolvers<void>();
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers },
    fetch: async (target, init) => {
      const response = await serviceFetch(target, revision === undefined ? init : askingFor(revision, init));
      if (init?.method === "GET" && response.ok) listening.resolve();
      return response;
    },
  });
  const client = new Client({ name: "test", version: "1.0.0" });
  // Its optional properties may be undefined, which conflicts with the SDK's own interface under `exactOptionalPropertyTypes`.
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  return {
    client,
    transport,
    revision: transport.protocolVersion,
    listening: listening.promise,
    async [Symbol.asyncDispose]() {
      await transport.terminateSession().catch(() => undefined);
      await client.close();
    },
  };
}

/** Changes the requested revision: the client always requests its own latest. */
function askingFor(revision: string, init?: RequestInit): RequestInit | undefined {
  if (typeof init?.body !== "string") return init;
  const message = JSON.parse(init.body);
  if (message.method !== "initialize") return init;
  message.params.protocolVersion = revision;
  return { ...init, body: JSON.stringify(message) };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape.
export type RpcMessage = any;

export interface RpcAnswer {
  status: number;
  headers: Headers;
  /** The messages received: the events of a stream, or the one body. */
  messages: RpcMessage[];
}

export interface RpcOptions {
  method?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export const acceptBoth = "application/json, text/event-stream";

/** Sends a body to `/mcp`, a text unchanged and anything else as JSON, and reads the whole answer. */
export async function sendRpc(url: string, body: unknown, options: RpcOptions = {}): Promise<RpcAnswer> {
  const response = await openRpc(url, body, options);
  return { status: response.status, headers: response.headers, messages: await messagesOf(response) };
}

/** Like `sendRpc`, with the answer unread. */
export function openRpc(url: string, body: unknown, options: RpcOptions = {}): Promise<Response> {
  const { method = "POST", headers = {}, signal } = options;
  return serviceFetch(`${url}/mcp`, {
    method,
    headers: { accept: acceptBoth, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Yields the messages of a stream as they arrive. */
export async function* rpcEvents(response: Response): AsyncGenerator<RpcMessage, void> {
  if (response.body === null) return;
  for await (const batch of readSse(response.body)) for (const data of batch) yield JSON.parse(data);
}

async function messagesOf(response: Response): Promise<RpcMessage[]> {
  if (response.headers.get("content-type") === "text/event-stream")
    return Array.fromAsync(rpcEvents(response));
  const text = await response.text();
  return text === "" ? [] : [JSON.parse(text)];
}

/** A session opened by hand. */
export interface RawSession {
  id: string;
  revision: string;
  /** Sends messages in the session. */
  send(body: unknown, options?: RpcOptions): Promise<RpcAnswer>;
  open(body: unknown, options?: RpcOptions): Promise<Response>;
}

export const initializeMessage = (revision = "2025-11-25", id: string | number = 0) => ({
  jsonrpc: "2.0",
  id,
  method: "initialize",
  params: { protocolVersion: revision, capabilities: {}, clientInfo: { name: "raw", version: "1" } },
});

/** Opens a session like a client, message by message. */
export async function openRawSession(
  url: string,
  revision = "2025-11-25",
  headers: Record<string, string> = {},
): Promise<RawSession> {
  const answer = await sendRpc(url, initializeMessage(revision), { headers });
  const id = answer.headers.get("mcp-session-id");
  if (id === null) throw new Error(`no session: ${answer.status} ${JSON.stringify(answer.messages)}`);
  const negotiated: string = answer.messages[0].result.protocolVersion;
  const inSession = (options: RpcOptions = {}) => ({
    ...options,
    headers: { "mcp-session-id": id, "mcp-protocol-version": negotiated, ...headers, ...options.headers },
  });
  const session: RawSession = {
    id,
    revision: negotiated,
    send: (body, options) => sendRpc(url, body, inSession(options)),
    open: (body, options) => openRpc(url, body, inSession(options)),
  };
  await session.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  return session;
}

/** A `tools/call` of an agent's tool. */
export function callMessage(id: string | number, agent: string, query = "hi", meta?: object) {
  const params = { name: `agent_${agent}`, arguments: { query }, ...(meta && { _meta: meta }) };
  return { jsonrpc: "2.0", id, method: "tools/call", params };
}
