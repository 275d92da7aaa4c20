import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assembleArgosy } from "../../src/compose/assemble.ts";
import { loadConfig } from "../../src/compose/load-config.ts";
import { type Clock, systemClock } from "../../src/kit/clock.ts";
import { createLogger } from "../../src/kit/log.ts";
import { answerText, question, systemTemplate } from "./workload.ts";

/** Agents that differ in one feature each, so that the difference of two is the price of that feature. */
const variants = {
  bare: {},
  guarded: {
    guardrails: {
      input: [
        { type: "pii_detection", action: "redact" },
        { type: "max_length", max_chars: 10_000 },
      ],
      output: [{ type: "pii_detection", action: "redact" }],
    },
  },
  traced: { observability: { tracing: true } },
  stored: { memory: { conversational: { backend: "sqlite", strategy: "sliding_window", max_turns: 20 } } },
  tooled: { tools: [{ name: "datetime_now", type: "builtin" }] },
} as const;

export type Variant = keyof typeof variants | "whole";

/** A daemon in this process, without sockets, whose model is a function. */
export interface StageWorld extends AsyncDisposable {
  clock: Clock;
  /** Answers one run of the agent; throws unless the status is 200. */
  run(agent: Variant, session: string): Promise<void>;
  /** Passes the door, and stops before a run: the request of `run` to another route. */
  knock(): Promise<void>;
}

/** Opens the daemon in a temporary workspace. Until it is disposed, `fetch` reaches only the model. */
export async function openStageWorld(): Promise<StageWorld> {
  const workspace = mkdtempSync(join(tmpdir(), "argosy-stages-"));
  writeAgents(workspace);
  const { fetch } = globalThis;
  globalThis.fetch = Object.assign(answerAsModel, { preconnect: fetch.preconnect });
  const config = loadConfig({ workspace, port: "0", services: "daemon" });
  const clock = { ...systemClock };
  let written = 0;
  const log = createLogger({
    level: "info",
    format: "json",
    write: (lines) => {
      written += lines.length;
    },
    secrets: config.knownSecrets,
    clock,
  });
  const argosy = await assembleArgosy(config, { log, clock });
  argosy.startWorkers();
  const { app } = argosy.getService("daemon");
  const post = async (path: string, session: string) => {
    const body = JSON.stringify({ query: question, session_id: session });
    const headers = {
      host: "localhost:8000",
      "content-type": "application/json",
      "content-length": String(body.length),
    };
    const request = new Request(`http://localhost:8000${path}`, { method: "POST", headers, body });
    const response = await app.handle(request, { peer: "network" });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`);
  };
  return {
    clock,
    run: (agent, session) => post(`/v1/agents/${agent}/run`, session),
    knock: () => post("/v1/agents/bare/stream-ticket", "none"),
    async [Symbol.asyncDispose]() {
      await argosy.close(1000);
      globalThis.fetch = fetch;
      rmSync(workspace, { recursive: true, force: true });
      if (written === 0) throw new Error("The runs wrote no log.");
    },
  };
}

function writeAgents(workspace: string): void {
  mkdirSync(join(workspace, "agents"));
  const endpoint = "http://127.0.0.1:9/v1";
  const primary = { provider: "vllm", model: "mock", endpoint };
  const plain = {
    model: { primary },
    prompts: { system: systemTemplate },
    memory: { conversational: { backend: "memory", strategy: "sliding_window", max_turns: 20 } },
    observability: { tracing: false },
  };
  const all = { ...variants, whole: Object.assign({}, ...Object.values(variants)) };
  for (const [name, own] of Object.entries(all)) {
    const manifest = {
      apiVersion: "platform/v1",
      kind: "Agent",
      metadata: { name },
      spec: { ...plain, ...own },
    };
    writeFileSync(join(workspace, "agents", `${name}.agent.yaml`), JSON.stringify(manifest));
  }
}

const head = { id: "chatcmpl-1", created: 1_700_000_000, object: "chat.completion", model: "mock" };
const call = { id: "call_1", type: "function", function: { name: "datetime_now", arguments: "{}" } };
const usage = { prompt_tokens: 256, completion_tokens: 64, total_tokens: 320 };
const bodyOf = (message: object, finish_reason: string) =>
  JSON.stringify({ ...head, choices: [{ index: 0, message, finish_reason }], usage });
const texts = bodyOf({ role: "assistant", content: answerText(64) }, "stop");
const calls = bodyOf({ role: "assistant", content: null, tool_calls: [call] }, "tool_calls");

/** Calls the tool if the user spoke last and there is one; otherwise answers. */
async function answerAsModel(_url: unknown, init?: RequestInit): Promise<Response> {
  const sent = String(init?.body);
  const wantsTool = sent.includes('"tools":') && !sent.includes('"role":"tool"');
  const body = wantsTool ? calls : texts;
  const headers = { "content-type": "application/json", "content-length": String(body.length) };
  const response = new Response(body, { headers });
  // Answers from the network have an address, and may be trusted to have the length that they declare.
  return Object.defineProperty(response, "url", { value: "http://127.0.0.1:9/v1/chat/completions" });
}
