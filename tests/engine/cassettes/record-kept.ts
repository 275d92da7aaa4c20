/**
 * Records the runs in fixtures/ again, after an intended change of the engine's behaviour: `bun tests/engine/cassettes/record-kept.ts`. The
 * diff of the files shows the changes.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EngineRequest } from "../../../src/engine/run-state/run-request.ts";
import { recorded } from "../../support/cassettes.ts";
import { asks, memoryConversations, type StageOptions, says, stage } from "../../support/staged-run.ts";

const agentTool = (name: string, agent: string) => ({ name, type: "agent", config: { agent } });

const memory = memoryConversations();
await stage({ memory, calls: ["Nice to meet you."] }).run({ query: "I am Ann." });

const runs: Record<string, { options: StageOptions; request: Partial<EngineRequest> }> = {
  "tools-memory-guardrails": {
    options: {
      memory,
      calls: [
        asks(
          "Let me look. ",
          { id: "c1", name: "look", input: { at: "sky" } },
          { id: "c2", name: "unheard", input: {} },
        ),
        says("It is blue, ", "Ann; ask bob@exam", "ple.com."),
      ],
      tools: [{ name: "look", execute: async ({ at }) => ({ success: true, data: { at, seen: "blue" } }) }],
      spec: {
        prompts: { system: "It is {{ current_date }}.", context: "Asked by {{ context.customer }}." },
        guardrails: {
          input: [{ type: "pii_detection", action: "redact" }],
          output: [{ type: "pii_detection", action: "redact" }],
        },
      },
    },
    request: {
      query: "What colour is it? My card is 4111 1111 1111 1111.",
      context: { customer: "ACME", api_key: "acme-0123456789" },
    },
  },
  "agents-at-once": {
    options: {
      calls: [
        asks(
          "",
          { id: "a", name: "ask", input: { query: "one" } },
          { id: "b", name: "ask", input: { query: "two" } },
        ),
        "Both have answered.",
      ],
      spec: { tools: [agentTool("ask", "helper")] },
      agents: { helper: { calls: ["One.", "Two."] } },
    },
    request: { stream: false },
  },
  "plan-and-chain": {
    options: {
      roles: { planner: ['{"steps": ["look", "tell"]}'], worker: ["Seen."], synthesizer: ["It was seen."] },
      spec: {
        orchestration: { pattern: "plan_and_execute" },
        chain: { on_complete: [{ agent: "next" }] },
      },
      agents: { next: { calls: ["Noted."] } },
    },
    request: {},
  },
};

for (const [name, { options, request }] of Object.entries(runs)) {
  const { text } = await recorded(stage(options), request);
  writeFileSync(join(import.meta.dir, "fixtures", `${name}.cassette.json`), text);
}
