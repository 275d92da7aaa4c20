/**
 * Measures the platform's overhead over a run of the daemon: the same agent with a tool (W2) is called over the daemon's port and over the
 * platform's, in turns, in one process of the executable. Prints the CPU time of the process for each run.
 *
 *   scripts/build && node_modules/.bin/bun scripts/bench/platform.ts [--runs 2000] [--rounds 5]
 *
 * Linux only. Judge by the difference: rates depend on the machine's other load.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { platformClient } from "../../src/contracts/platform/clients/client.ts";
import { cpuMs } from "./process-stats.ts";
import { modelUrl, portVariables, question, systemTemplate } from "./workload.ts";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "2000" }, rounds: { type: "string", default: "5" } },
});
const connections = 16;
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

const workspace = mkdtempSync(join(tmpdir(), "argosy-bench-"));
mkdirSync(join(workspace, "agents"));
writeFileSync(join(workspace, "agents/desk.agent.yaml"), JSON.stringify(manifest));
const providers = { providers: { bench: { type: "vllm", endpoint: modelUrl } } };
writeFileSync(join(workspace, "providers.yaml"), JSON.stringify(providers));

const model = Bun.spawn([process.execPath, join(import.meta.dir, "mock-model.ts")], {
  env: { ...process.env, ...portVariables },
  stdio: ["ignore", "ignore", "pipe"],
});
await model.stderr.getReader().read();
const server = Bun.spawn(
  [join(import.meta.dir, "../../dist/argosy"), "serve", "--json", "--services", "daemon,platform"],
  {
    cwd: workspace,
    env: {
      PATH: process.env.PATH,
      HOME: workspace,
      ...portVariables,
      ARGOSY_PLATFORM_PORT: "0",
      PLATFORM_LOG_LEVEL: "warning",
      PLATFORM_OPERATOR_TOKEN: operatorToken,
    },
    stdio: ["ignore", "pipe", "inherit"],
  },
);

/** Sends `total` runs, 16 at once, in sessions of ten turns. Returns the server's CPU time per run, in ms. */
async function cpuPerRun(total: number, tag: string, url: string, headers: Record<string, string>) {
  const before = cpuMs(server.pid);
  let sent = 0;
  const asking = async () => {
    for (let turn = sent++; turn < total; turn = sent++) {
      const body = JSON.stringify({ query: question, session_id: `${tag}-${Math.floor(turn / 10)}` });
      const answer = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body,
      });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, asking));
  return (cpuMs(server.pid) - before) / total;
}

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
  await operator.fileTariff({
    provider: "bench",
    model: "mock",
    credits_per_1k_in_micros: 1000,
    credits_per_1k_out_micros: 1000,
  });
  const { rawKey } = await person.createKey(id, "bench");
  await platformClient({ ...at, apiKey: rawKey }).createAgent(manifest);
  return rawKey;
}

const median = (figures: number[]) => figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? 0;

try {
  const { value } = await server.stdout.getReader().read();
  const { services } = JSON.parse(new TextDecoder().decode(value)) as {
    services: { name: string; url: string }[];
  };
  const urlOf = (wanted: string) => services.find(({ name }) => name === wanted)?.url ?? "";
  const key = await tenantKey(urlOf("platform"));
  const sides = [
    { name: "daemon", url: `${urlOf("daemon")}/v1/agents/desk/run`, headers: {}, cpu: [] as number[] },
    {
      name: "platform",
      url: `${urlOf("platform")}/api/v1/agents/desk/run`,
      headers: { "x-api-key": key },
      cpu: [] as number[],
    },
  ];
  for (const { name, url, headers } of sides) await cpuPerRun(300, `warm-${name}`, url, headers);
  for (let round = 1; round <= Number(values.rounds); round++) {
    for (const { name, url, headers, cpu } of sides) {
      const took = await cpuPerRun(Number(values.runs), `r${round}-${name}`, url, headers);
      cpu.push(took);
      console.error(`round ${round}: ${name} ${took.toFixed(3)} ms CPU a run`);
    }
  }
  const [daemon = 0, platform = 0] = sides.map(({ cpu }) => median(cpu));
  console.log(`daemon ${daemon.toFixed(3)} ms CPU a run, platform ${platform.toFixed(3)} ms (medians)`);
  console.log(`the platform adds ${(platform - daemon).toFixed(3)} ms CPU a run`);
} finally {
  server.kill();
  await server.exited;
  model.kill();
  rmSync(workspace, { recursive: true, force: true });
}
