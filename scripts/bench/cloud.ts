/**
 * Measures the managed cloud in one process of the executable:
 *
 *   1. CPU time that a run of the cloud adds to a run of the same manifest on the daemon's own port, in turns. Goal: at most 0.3 ms.
 *   2. With 300 orgs of 5 deployed agents on the rehearsal model, copied in the database: the start until every agent is registered (goal:
 *      under 2 s), idle memory (under 180 MiB), and the CPU time of a run of the first and of the 1,500th agent, in turns.
 *
 *   scripts/build && node_modules/.bin/bun scripts/bench/cloud.ts [--runs 1000] [--rounds 5] [--orgs 300]
 *
 * Linux only. Judge by CPU time and by differences: rates depend on the machine's other load.
 */
import { Database } from "bun:sqlite";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cloudClient } from "../../src/contracts/cloud/client.ts";
import { median } from "./figures.ts";
import { readOptions } from "./options.ts";
import { rssMib, treeCpuMs } from "./process-stats.ts";
import { inTurns, startArgosy, startModel, temporaryWorkspace } from "./servers.ts";
import { modelUrl } from "./workload.ts";

const { orgs, ...load } = readOptions({ runs: 1000, rounds: 5, orgs: 300 });
const agentsPerOrg = 5;
const secret = "bench-key-0123456789abcdef";

const plan = { max_agents: agentsPerOrg, requests_per_day: 100_000_000, max_members: 3 };
const vendor = { type: "openai", endpoint: modelUrl, api_key_env: "BENCH_KEY" };
using workspace = temporaryWorkspace({
  "runtime.yaml": { spec: { cloud: { plans: { free: plan } } } },
  "providers.yaml": { providers: { openai: vendor } },
});

const config = (name: string, model: string) => ({
  name,
  display_name: "Desk",
  step1: { model },
  step2: { system_prompt: "You answer for the desk of {{ context.office }}. Session {{ session_id }}." },
  step3: { tools: ["datetime_now"] },
  step5: { input_guardrails: ["pii_detection"], output_guardrails: ["pii_detection"] },
});

async function serve() {
  const startedMs = performance.now();
  const server = await startArgosy(workspace.path, "daemon,cloud", {
    BENCH_KEY: secret,
    CLOUD_DEV_LOGIN: "true",
  });
  const url = server.urlOf("cloud");
  while (!(await fetch(`${url}/readyz`)).ok) await Bun.sleep(5);
  const asked = (org: number, agent: number, key: string) => ({
    url: `${url}/api/v1/orgs/org${org}/agents/agent${agent}/run`,
    headers: { "x-api-key": key },
  });
  return { server, url, asked, readyMs: performance.now() - startedMs, cpuMs: treeCpuMs(server.pid) };
}

const at = (baseUrl: string, headers: Record<string, string> = {}) =>
  cloudClient({ baseUrl, headers, fetch: (request) => fetch(request) });

/** Signs in the owner of the first org, and deploys its agents, the last of them on the rehearsal model. Returns an API key. */
async function fillOrg(url: string): Promise<string> {
  const { access_token, org_slug } = await at(url).devLogin({ email: "org1@example.com", name: "Org 1" });
  const client = at(url, { authorization: `Bearer ${access_token}` });
  await client.saveProvider(org_slug, { provider: "openai", api_key: secret });
  for (let agent = 1; agent <= agentsPerOrg; agent++) {
    const model = agent === agentsPerOrg ? "rehearsal/rehearsal" : "openai/mock";
    await client.createAgent(org_slug, config(`agent${agent}`, model));
    await client.deploy(org_slug, `agent${agent}`);
  }
  return (await client.createKey(org_slug, "bench")).secret;
}

/** Copies the last agent of the first org to every place of all orgs, and gives the last org an API key. */
function copyOrgs(): string {
  const db = new Database(join(workspace.path, ".argosy/cloud.db"));
  const key = "ask-bench-of-the-last-org";
  const last = `agent${agentsPerOrg}`;
  db.transaction(() => {
    for (let org = 2; org <= orgs; org++) {
      const id = `copy-${org}`;
      db.run(
        `insert into orgs (id, slug, display_name, plan, created_by, created_at)
         select ?, ?, display_name, plan, created_by, created_at from orgs where slug = 'org1'`,
        [id, `org${org}`],
      );
      for (let agent = 1; agent <= agentsPerOrg; agent++) {
        db.run(
          `insert into agents (id, org_id, name, display_name, config, status, spec, checksum, created_at, updated_at, deployed_at)
           select ?, ?, ?, display_name, config, status, replace(spec, '${last}', ?), checksum || ?, created_at, updated_at, deployed_at
           from agents where name = ? and org_id = (select id from orgs where slug = 'org1')`,
          [`${id}-${agent}`, id, `agent${agent}`, `agent${agent}`, `${agent}`, last],
        );
      }
    }
    const hash = new Bun.CryptoHasher("sha256").update(key).digest("hex");
    db.run(
      "insert into api_keys (hash, id, org_id, name, prefix, created_by, created_at) values (?, 'bench', ?, 'bench', 'ask-bench', '', 0)",
      [hash, `copy-${orgs}`],
    );
  })();
  db.close();
  return key;
}

await using _ = await startModel();
const first = await serve();
const key = await fillOrg(first.url);
mkdirSync(join(workspace.path, "agents"));
writeFileSync(
  join(workspace.path, "agents/agent1.agent.yaml"),
  await at(first.url, { "x-api-key": key }).manifest("org1", "agent1"),
);
await first.server[Symbol.asyncDispose]();

const second = await serve();
const daemonRun = { url: `${second.server.urlOf("daemon")}/v1/agents/agent1/run` };
const added = await inTurns(second.server.pid, { one: daemonRun, other: second.asked(1, 1, key) }, load);
const medianOf = (of: (figures: { one: number; other: number }) => number, figures = added) =>
  median(figures.map(of)).toFixed(3);
console.log(
  `run      daemon ${medianOf(({ one }) => one)} ms, cloud ${medianOf(({ other }) => other)} ms, added ${medianOf(({ one, other }) => other - one)} ms CPU (goal 0.3)`,
);
await second.server[Symbol.asyncDispose]();

const lastKey = orgs > 1 ? copyOrgs() : key;
const { server, asked, readyMs, cpuMs } = await serve();
await Bun.sleep(2000);
console.log(
  `start    ${(readyMs / 1000).toFixed(2)} s until ${orgs * agentsPerOrg} agents are registered, ${(cpuMs / 1000).toFixed(2)} s CPU (goal 2)`,
);
console.log(`idle     ${rssMib(server.pid).toFixed(0)} MiB (goal 180)`);
const sides = { one: asked(1, agentsPerOrg, key), other: asked(orgs, agentsPerOrg, lastKey) };
const ends = await inTurns(server.pid, sides, load, "ends");
console.log(
  `agents   the first costs ${medianOf(({ one }) => one, ends)} ms CPU a run, the last ${medianOf(({ other }) => other, ends)} ms`,
);
await server[Symbol.asyncDispose]();
