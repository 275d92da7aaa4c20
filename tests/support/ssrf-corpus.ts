import { gzipSync } from "node:zlib";
import { bindTools } from "../../src/engine/tools/bind-tools.ts";
import { executeTool } from "../../src/engine/tools/execute-tool.ts";
import type { ResolveName } from "../../src/engine/tools/network/address/address-resolver.ts";
import type { GuardedNetwork } from "../../src/engine/tools/network/guarded-network.ts";
import type { ToolResult } from "../../src/engine/tools/tool.ts";
import { systemClock } from "../../src/kit/clock.ts";
import type { ToolEntry } from "../../src/manifest/agent/tools.ts";
import corpus from "../corpora/ssrf_urls.json" with { type: "json" };
import { toolContext } from "./tool-context.ts";
import { toolPorts } from "./tool-ports.ts";

export interface CorpusEntry {
  id: string;
  input: unknown;
  why: string;
  expected: string;
  kind?: string;
  resolver?: (string[] | string | { cname: string })[];
}

export const entries = corpus.entries as CorpusEntry[];

/** An answer of the outside world. `drip`: one byte per second; `flood`: 10,000 headers. */
export interface WorldAnswer {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array | "drip" | "flood";
}

const bomb = gzipSync(new Uint8Array(200 * 1024 * 1024));
const welcome: WorldAnswer = {
  status: 200,
  headers: { "content-type": "application/json" },
  body: '{"data":{"hello":"world"}}',
};

/** Returns the request of an entry, for any of the tools. */
export function requestOf({ input }: CorpusEntry): { url: string; headers: Record<string, string> } {
  if (typeof input === "string") return { url: input, headers: {} };
  if (Array.isArray(input)) return { url: String(input[0]), headers: {} };
  const { url = "http://public.test/", tool, headers } = input as Record<string, unknown>;
  return {
    url: String(url),
    headers: tool === undefined ? {} : (headers as Record<string, string>),
  };
}

/** Returns the outside world's answer to a request that reaches it. */
export function worldAnswer({ input }: CorpusEntry, url: string): WorldAnswer {
  if (Array.isArray(input)) return redirectOf(input.map(String), url);
  if (typeof input !== "object" || input === null) return welcome;
  const { status, to, body, headers, response_headers } = input as Record<string, unknown>;
  if (typeof to === "string") {
    return url === to ? welcome : { ...welcome, status: Number(status), headers: { location: to } };
  }
  if (response_headers !== undefined) {
    return { ...welcome, headers: { ...welcome.headers, ...(response_headers as Record<string, string>) } };
  }
  if (typeof headers === "string") return { ...welcome, body: "flood" };
  if (typeof body !== "string") return welcome;
  if (body.startsWith("1 byte")) return { ...welcome, body: "drip" };
  return { status: 200, headers: { ...welcome.headers, "content-encoding": "gzip" }, body: bomb };
}

/** Follows a redirect chain; one that returns to its start never ends. */
function redirectOf(chain: readonly string[], url: string): WorldAnswer {
  const at = chain.indexOf(url);
  const next = chain[at + 1];
  return at < 0 || next === undefined ? welcome : { status: 302, headers: { location: next }, body: "" };
}

export const publicAddress = "93.184.215.14";

/** Returns the resolver of an entry; its last answer repeats. Every other name is public, so that only the guard can refuse it. */
export function resolverOf({ resolver }: CorpusEntry): ResolveName {
  const answers = resolver ?? [[publicAddress]];
  let asked = 0;
  return async (host) => {
    if (resolver === undefined && host.startsWith("rebind")) return ["127.0.0.1"];
    const answer = answers.filter((each) => Array.isArray(each) || typeof each === "string");
    const said = answer[Math.min(asked++, answer.length - 1)];
    if (Array.isArray(said)) return said;
    throw new Error(String(said));
  };
}

/** The ways in which tools use the network with a URL, by name. */
export const ways: Readonly<Record<string, (url: string, headers: Record<string, string>) => Way>> = {
  http_request: (url, headers) => ({
    name: "http_request",
    config: { timeout_seconds: 1 },
    input: { method: "GET", url, headers },
  }),
  "http_request POST": (url, headers) => ({
    name: "http_request",
    config: { timeout_seconds: 1 },
    input: { method: "POST", url, headers, body: "a secret" },
  }),
  graphql_query: (endpoint, headers) => ({
    name: "graphql_query",
    config: { timeout_seconds: 1 },
    input: { endpoint, query: "{ hello }", headers },
  }),
  send_webhook: (url, headers) => ({ name: "send_webhook", input: { url, payload: { a: 1 }, headers } }),
  send_chat: (url) => ({ name: "send_chat", config: { webhook_url: url }, input: { message: "hi" } }),
  "webhook GET": (url, headers) => ({
    name: "hook",
    type: "webhook",
    config: { url, headers, method: "GET" },
    input: {},
  }),
  "webhook POST": (url, headers) => ({
    name: "hook",
    type: "webhook",
    config: { url, headers, method: "POST" },
    input: {},
  }),
};

interface Way {
  name: string;
  type?: string;
  config?: Record<string, unknown>;
  input: Record<string, unknown>;
}

/** Returns a tool's result for a URL; an entry that cannot be bound counts as a failure. */
export async function callBy(way: Way, network: GuardedNetwork, timeoutSeconds = 1): Promise<ToolResult> {
  const entry = {
    type: "builtin",
    permissions: [],
    timeout_seconds: timeoutSeconds,
    requires_approval: false,
    mode: "execute",
    ...(way.type === "webhook" && { parameters: { type: "object" } }),
    config: {},
    ...way,
  } as unknown as ToolEntry;
  const ports = toolPorts({ clock: systemClock, network });
  const { tools, problems } = bindTools({ tools: [entry], permissions: {} }, ports);
  const tool = tools.get(way.name);
  if (tool === undefined) return { success: false, error: problems.map(({ message }) => message).join("; ") };
  return executeTool(tool, way.input, toolContext({ clock: systemClock }));
}
