/**
 * Measures the platform's overhead over a run of the daemon: the same agent with a tool (W2) is called over the daemon's port and over the
 * platform's, in turns, in one process of the executable. Prints the CPU time of the process for each run.
 *
 *   scripts/build && node_modules/.bin/bun scripts/bench/platform.ts [--runs 2000] [--rounds 5]
 *
 * Linux only. Judge by the difference: rates depend on the machine's other load.
 */
import { platformClient } from "../../src/contracts/platform/clients/client.ts";
import { median } from "./figures.ts";
import { readOptions } from "./options.ts";
import { inTurns, startArgosy, startModel, temporaryWorkspace } from "./servers.ts";
import { modelUrl, systemTemplate } from "./workload.ts";

const options = readOptions({ runs: 2000, rounds: 5 });
const operatorToken = "operator-token-of-at-least-32-bytes";

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
  },
};

/** Creates a tenant whose plan has no limits, with the agent and a tariff for its model. Returns its API key. */
async function tenantKey(baseUrl: string): Promise<string> {
  const at = { fetch: (request: Request) => fetch(request), baseUrl };
  const account = { email: "bench@example.com", password: "correct horse", displayName: "Bench" };
  const { accessToken } = await platformClient(at).register(account);
  const person = platformClient({ ...at, accessToken });
  const { id } = await person.createTenant("Bench");
  const operator = platformClient({ ...at, operatorToken });
  await operator.createPlan({
    id: "bench",
    name: "Bench",
    max_concurrency: null,
    max_rpm: null,
    credit_cap_period_micros: 1_000_000_000_000,
    max_tokens_per_call: null,
    max_run_tokens: 64_000,
    max_iterations: 10,
    max_active_agents: null,
    min_fee_micros: 0,
    activation_price_micros: 0,
    included_credits_micros: 0,
    extra_credit_price_micros: 0,
    spec: { unidades: {}, features: {} },
  });
  await operator.setTenantPlan(id, "bench");
  const credits = { credits_per_1k_in_micros: 1000, credits_per_1k_out_micros: 1000 };
  await operator.fileTariff({ provider: "bench", model: "mock", ...credits });
  const { rawKey } = await person.createKey(id, "bench");
  await platformClient({ ...at, apiKey: rawKey }).createAgent(manifest);
  return rawKey;
}

await using _ = await startModel();
using workspace = temporaryWorkspace({
  "agents/desk.agent.yaml": manifest,
  "providers.yaml": { providers: { bench: { type: "vllm", endpoint: modelUrl } } },
});
await using server = await startArgosy(workspace.path, "daemon,platform", {
  PLATFORM_OPERATOR_TOKEN: operatorToken,
});
const headers = { "x-api-key": await tenantKey(server.urlOf("platform")) };
const figures = await inTurns(
  server.pid,
  {
    one: { url: `${server.urlOf("daemon")}/v1/agents/desk/run` },
    other: { url: `${server.urlOf("platform")}/api/v1/agents/desk/run`, headers },
  },
  options,
);
const [daemon, platform] = [median(figures.map(({ one }) => one)), median(figures.map(({ other }) => other))];
console.log(`daemon ${daemon.toFixed(3)} ms CPU a run, platform ${platform.toFixed(3)} ms (medians)`);
console.log(`the platform adds ${(platform - daemon).toFixed(3)} ms CPU a run (goal 0.5)`);
