/**
 * Measures what a door adds to a run: the same agent is called over the daemon's own route and over each protocol, in turns, in one process of
 * the executable. Prints the CPU time of the process for each run and the time to a stream's first event.
 *
 *   scripts/build && node_modules/.bin/bun scripts/bench/doors.ts [--runs 400] [--rounds 7]
 *
 * Linux only. Judge by the ratios: rates depend on the machine's other load.
 */
import { median } from "./figures.ts";
import { readOptions } from "./options.ts";
import { cpuMs } from "./process-stats.ts";
import { startArgosy, startModel, temporaryWorkspace } from "./servers.ts";
import { modelUrl, systemTemplate } from "./workload.ts";

const options = readOptions({ runs: 400, rounds: 7 });
const query = "What time is it?";
const inFlight = 8;

const manifest = {
  apiVersion: "platform/v1",
  kind: "Agent",
  metadata: { name: "desk" },
  spec: {
    model: { primary: { provider: "bench", model: "mock" } },
    prompts: { system: systemTemplate },
    tools: [{ name: "datetime_now", type: "builtin" }],
    memory: { conversational: { backend: "sqlite", strategy: "sliding_window", max_turns: 20 } },
    guardrails: {
      input: [{ type: "pii_detection", action: "redact" }],
      output: [{ type: "pii_detection", action: "redact" }],
    },
    a2a: { enabled: true },
  },
};

interface Door {
  path: string;
  headers?: Record<string, string>;
  body: (session: string) => object;
}
let calls = 0;
const rpc = (method: string, params: object) => ({ jsonrpc: "2.0", id: ++calls, method, params });
const part = { kind: "text", text: query };
const message = (session: string) => ({
  role: "user",
  messageId: session,
  contextId: session,
  parts: [part],
});
const spoken = (session: string) => ({ id: session, role: "user", content: query });

const mcpHeaders = {
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2025-11-25",
  "mcp-session-id": "",
};
const whole: Record<string, Door> = {
  "/v1/agents/desk/run": { path: "/v1/agents/desk/run", body: (session_id) => ({ query, session_id }) },
  "/v1/chat/completions": {
    path: "/v1/chat/completions",
    body: (user) => ({ model: "agent/desk", user, messages: [{ role: "user", content: query }] }),
  },
  "/v1/responses": {
    path: "/v1/responses",
    body: (conversation) => ({ model: "agent/desk", conversation, input: query, store: false }),
  },
  "A2A message/send": {
    path: "/a2a/desk",
    body: (session) => rpc("message/send", { message: message(session) }),
  },
  "MCP tools/call": {
    path: "/mcp",
    headers: mcpHeaders,
    body: (session_id) => rpc("tools/call", { name: "agent_desk", arguments: { query, session_id } }),
  },
};
const streamed: Record<string, Door> = {
  "/v1/agents/desk/run": {
    path: "/v1/agents/desk/run",
    headers: { accept: "text/event-stream" },
    body: (session_id) => ({ query, session_id }),
  },
  "/v1/chat/completions": {
    path: "/v1/chat/completions",
    body: (user) => ({
      model: "agent/desk",
      user,
      stream: true,
      messages: [{ role: "user", content: query }],
    }),
  },
  "/v1/responses": {
    path: "/v1/responses",
    body: (conversation) => ({
      model: "agent/desk",
      conversation,
      input: query,
      store: false,
      stream: true,
    }),
  },
  "AG-UI": {
    path: "/v1/agents/desk/ag-ui",
    body: (threadId) => ({
      threadId,
      runId: threadId,
      messages: [spoken(threadId)],
      tools: [],
      context: [],
      state: {},
    }),
  },
  "UI messages": {
    path: "/v1/agents/desk/ui-messages",
    body: (id) => ({ id, messages: [{ id, role: "user", parts: [{ type: "text", text: query }] }] }),
  },
  "A2A message/stream": {
    path: "/a2a/desk",
    body: (session) => rpc("message/stream", { message: message(session) }),
  },
};

await using _ = await startModel();
using workspace = temporaryWorkspace({
  "agents/desk.agent.yaml": manifest,
  "providers.yaml": { providers: { bench: { type: "vllm", endpoint: modelUrl } } },
});
await using server = await startArgosy(workspace.path, "daemon");
let session = 0;
const begun = await fetch(`${server.urlOf("daemon")}/mcp`, {
  method: "POST",
  headers: { "content-type": "application/json", accept: mcpHeaders.accept },
  body: JSON.stringify(
    rpc("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "bench", version: "1" },
    }),
  ),
});
mcpHeaders["mcp-session-id"] = begun.headers.get("mcp-session-id") ?? "";

/** Makes one run over a door. Returns the milliseconds until the first bytes of its answer. */
async function runOver({ path, headers, body }: Door): Promise<number> {
  const from = performance.now();
  const answer = await fetch(`${server.urlOf("daemon")}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body(`s${++session}`)),
  });
  const reader = answer.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let firstMs: number | undefined;
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    firstMs ??= performance.now() - from;
    text += decoder.decode(read.value, { stream: true });
  }
  if (!answer.ok || /"error":\{|isError":true/.test(text))
    throw new Error(`${path}: ${answer.status} ${text}`);
  return firstMs ?? Number.NaN;
}

async function measure(door: Door): Promise<{ cpu: number; firstMs: number }> {
  const before = cpuMs(server.pid);
  let left = options.runs;
  const firsts: number[] = [];
  const work = async () => {
    while (left-- > 0) firsts.push(await runOver(door));
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  return { cpu: (cpuMs(server.pid) - before) / options.runs, firstMs: median(firsts) };
}

for (const [title, doors] of Object.entries({ "In one piece": whole, Streamed: streamed })) {
  const figures = new Map<string, { cpu: number[]; firstMs: number[] }>();
  for (const door of Object.values(doors)) await measure(door);
  for (let round = 0; round < options.rounds; round++)
    for (const [name, door] of Object.entries(doors)) {
      const { cpu, firstMs } = await measure(door);
      const known = figures.get(name) ?? { cpu: [], firstMs: [] };
      figures.set(name, { cpu: [...known.cpu, cpu], firstMs: [...known.firstMs, firstMs] });
    }
  const [own] = figures.values();
  console.log(`\n| ${title} | CPU, ms a run | ÷ own route | First bytes, ms |\n|---|---:|---:|---:|`);
  for (const [name, { cpu, firstMs }] of figures) {
    const ratio = median(cpu) / median(own?.cpu ?? []);
    console.log(
      `| ${name} | ${median(cpu).toFixed(3)} | ${ratio.toFixed(2)} | ${median(firstMs).toFixed(1)} |`,
    );
  }
}
