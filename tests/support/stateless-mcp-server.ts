import { executeTool } from "../../src/engine/tools/execute-tool.ts";
import type { ToolProgress, ToolResult } from "../../src/engine/tools/tool.ts";
import { type ServerStage, toolsOf } from "./mcp-servers.ts";
import { type HttpServer, startHttpServer } from "./staged-mcp-http.ts";
import { toolContext } from "./tool-context.ts";

/** A request as a staged server sees it. */
export interface SeenCall {
  method: string;
  id: number;
  params: Record<string, unknown>;
  headers: Headers;
  signal: AbortSignal;
}

/** A result, or a whole response. */
export type Staged = (call: SeenCall) => object | Response | Promise<object | Response>;

export interface StatelessServer extends HttpServer {
  calls: SeenCall[];
}

export const complete = (result: object) => ({ resultType: "complete", ...result });
export const textResult = (text: string) => complete({ content: [{ type: "text", text }] });
export const rpcError = (id: unknown, code: number, status = 200, data?: object) =>
  Response.json({ jsonrpc: "2.0", id, error: { code, message: "No.", ...(data && { data }) } }, { status });

const echo = { name: "echo", inputSchema: { type: "object" } };

/** Starts a server of revision 2026-07-28 on loopback, with other answers to some methods. */
export function startStatelessServer(staged: Record<string, Staged> = {}): StatelessServer {
  const calls: SeenCall[] = [];
  const methods: Record<string, Staged> = {
    "server/discover": () => complete({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }),
    "tools/list": () => complete({ tools: [echo], ttlMs: 0, cacheScope: "private" }),
    "tools/call": ({ params }) => textResult(JSON.stringify(params.arguments)),
    ...staged,
  };
  const server = startHttpServer(async (request) => {
    if (request.method !== "POST") return new Response(null, { status: 405 });
    const headers = new Headers(request.headers);
    const { id, method, params = {} } = (await request.json()) as SeenCall;
    const call = { id, method, params, headers, signal: request.signal };
    calls.push(call);
    const answer = await methods[method]?.(call);
    if (answer === undefined) return rpcError(id, -32_601, 404);
    return answer instanceof Response ? answer : Response.json({ jsonrpc: "2.0", id, result: answer });
  });
  return Object.assign(server, { calls });
}

/** An event stream with these messages, which ends or stays open. */
export function eventsWith(messages: readonly object[], isOpen = false): Response {
  const stream = new ReadableStream({
    start(controller) {
      for (const message of messages)
        controller.enqueue(new TextEncoder().encode(`event: message\ndata: ${JSON.stringify(message)}\n\n`));
      if (!isOpen) controller.close();
    },
  });
  return new Response(stream, { headers: { "content-type": "text/event-stream" } });
}

/** The address of a server on loopback. */
export const localServer = (url: string) =>
  ({ transport: "http", url, headers: {}, allowsLoopback: true }) as const;

/** Calls the first tool of the server at this address as an agent does. */
export async function callFirst(
  stage: ServerStage,
  url: string,
  input: Record<string, unknown> = {},
  progress?: (told: ToolProgress) => void,
): Promise<ToolResult> {
  const [tool] = (await toolsOf(stage, { transport: "http", url, allow_localhost: true })).values();
  if (tool === undefined)
    throw new Error(`no tool: ${JSON.stringify(stage.kept().map((one) => one.status()))}`);
  return executeTool(tool, input, toolContext({ clock: stage.clock, ...(progress && { progress }) }));
}

export const metaOf = (params: Record<string, unknown>) => params._meta as Record<string, unknown>;
