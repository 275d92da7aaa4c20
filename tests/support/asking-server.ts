import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { agentFile } from "./daemon.ts";
import type { ModelScript } from "./model-server.ts";
import { startHttpServer } from "./staged-mcp-http.ts";
import { eventsWith, type SeenCall, startStatelessServer, textResult } from "./stateless-mcp-server.ts";

/** A question as servers send it. */
export const bookingQuestion = {
  message: "Which table?",
  requestedSchema: {
    type: "object",
    properties: {
      guests: { type: "integer", title: "Guests", minimum: 1, maximum: 8 },
      email: { type: "string", format: "email" },
      area: {
        type: "string",
        oneOf: [
          { const: "in", title: "Inside" },
          { const: "out", title: "Outside" },
        ],
      },
      extras: { type: "array", items: { type: "string", enum: ["cake", "wine"] }, maxItems: 1 },
      window: { type: "boolean", default: true },
    },
    required: ["guests", "area"],
  },
};

export const goodAnswer = { guests: 2, area: "out", email: "ada@example.org", window: false };

/** A server of 2026-07-28 whose tool `echo` asks these questions, one after the other, and says what it was answered. */
export function startAskingServer(...questions: object[]) {
  return startStatelessServer({
    "tools/call": ({ params }: SeenCall) => {
      const { inputResponses = {}, requestState = "[]" } = params as {
        inputResponses?: Record<string, unknown>;
        requestState?: string;
      };
      const answers = [...JSON.parse(requestState), ...Object.values(inputResponses)];
      const next = questions[answers.length];
      if (next === undefined) return textResult(JSON.stringify(answers));
      return {
        resultType: "input_required",
        inputRequests: { [`q${answers.length}`]: { method: "elicitation/create", params: next } },
        requestState: JSON.stringify(answers),
      };
    },
  });
}

/** A server with sessions, of the official SDK, whose tool `echo` asks the question while its call runs. */
export function startSessionAskingServer(question: object, { isReadOnly = false } = {}) {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const calls: unknown[] = [];
  const open = async () => {
    const server = new Server({ name: "asking", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [
        { name: "echo", inputSchema: { type: "object" as const }, annotations: { readOnlyHint: isReadOnly } },
      ],
    }));
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, { sendRequest }) => {
      calls.push(params.arguments);
      const { ElicitResultSchema } = await import("@modelcontextprotocol/sdk/types.js");
      const answer = await sendRequest(
        { method: "elicitation/create", params: question } as never,
        ElicitResultSchema,
        {
          timeout: 2 ** 31 - 1,
        },
      );
      return { content: [{ type: "text", text: JSON.stringify([answer]) }] };
    });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await server.connect(transport);
    return transport;
  };
  const http = startHttpServer(async (request) => {
    const id = request.headers.get("mcp-session-id");
    if (id !== null) return sessions.get(id)?.handleRequest(request) ?? new Response("{}", { status: 404 });
    return (await open()).handleRequest(request);
  });
  return Object.assign(http, { calls, forget: () => sessions.clear() });
}

export { eventsWith };

/** An agent with the server's tools, whose model calls the first and then repeats its result. */
export const askingAgent = (url: string, more: Record<string, unknown> = {}) => ({
  "waiter.agent.yaml": agentFile("waiter", {
    tools: [{ name: "lab", type: "mcp", config: { transport: "http", url, allow_localhost: true } }],
    ...more,
  }),
});

export const callsEcho: ModelScript = ({ body }) => {
  const result = body.messages.findLast(({ role }) => role === "tool");
  if (result !== undefined) return { text: `Result: ${String(result.content)}` };
  return { text: "", toolCalls: [{ id: "call-1", name: "lab__echo", arguments: { n: 1 } }] };
};
