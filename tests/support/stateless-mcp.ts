import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { serviceFetch } from "../../src/kit/fetch/service-fetch.ts";
import { openRpc, type RpcAnswer, type RpcOptions, sendRpc } from "./mcp-client.ts";

export const statelessRevision = "2026-07-28";

const metaOf = (capabilities: object, revision: string) => ({
  "io.modelcontextprotocol/protocolVersion": revision,
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": capabilities,
});

export interface StatelessOptions extends RpcOptions {
  id?: string | number;
  capabilities?: object;
  revision?: string;
}

interface SentCall {
  body: { jsonrpc: "2.0"; id: string | number; method: string; params: Record<string, unknown> };
  options: RpcOptions;
}

/** A request of revision 2026-07-28 with the headers that it needs. */
export function statelessCall(
  method: string,
  params: Record<string, unknown> = {},
  { id = 1, capabilities = {}, revision = statelessRevision, ...options }: StatelessOptions = {},
): SentCall {
  const name = params.name ?? params.uri ?? params.taskId;
  const meta = params._meta as object | undefined;
  return {
    body: {
      jsonrpc: "2.0",
      id,
      method,
      params: { ...params, _meta: { ...metaOf(capabilities, revision), ...meta } },
    },
    options: {
      ...options,
      headers: {
        "mcp-protocol-version": revision,
        "mcp-method": method,
        ...(typeof name === "string" ? { "mcp-name": name } : {}),
        ...options.headers,
      },
    },
  };
}

/** Sends a request of revision 2026-07-28 and reads the whole answer. */
export function sendStateless(
  url: string,
  method: string,
  params?: Record<string, unknown>,
  options?: StatelessOptions,
): Promise<RpcAnswer> {
  const sent = statelessCall(method, params, options);
  return sendRpc(url, sent.body, sent.options);
}

/** Like `sendStateless`, with the answer unread. */
export function openStateless(
  url: string,
  method: string,
  params?: Record<string, unknown>,
  options?: StatelessOptions,
): Promise<Response> {
  const sent = statelessCall(method, params, options);
  return openRpc(url, sent.body, sent.options);
}

/** The official client of SDK 2, which speaks the newest revision that both sides have. */
export async function connectNewest(
  url: string,
  options: ConstructorParameters<typeof Client>[1] = {},
): Promise<{ client: Client } & AsyncDisposable> {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: { mode: "auto" }, ...options },
  );
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { fetch: serviceFetch });
  await client.connect(transport);
  return { client, [Symbol.asyncDispose]: () => client.close() };
}
