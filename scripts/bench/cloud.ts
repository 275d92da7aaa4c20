/**
 * Measures the managed cloud in one process of the executable:
 *
 *   1. CPU time that a run of the cloud adds to a run of the same manifest on the daemon's own port, in turns. Goal: at most 0.3 ms.
 *   2. With 300 orgs of 5 deployed agents on the rehearsal model, copied in the database: the start until every agent is registered (goal: under 2 s), idle memory (under 180 MiB), and
 *      the CPU time of a run of the first and of the 1,500th agent, in turns.
 *
 *   scripts/build && node_modules/.bin/bun scripts/bench/cloud.ts [--runs 1000] [--rounds 5] [--orgs 300]
 *
 * Linux only. Judge by CPU time and by differences: rates depend on the machine's other load.
 */
import { Database } from "bun:sqlite";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type CloudClient, cloudClient } from "../../src/contracts/cloud/client.ts";
import { rssMib, treeCpuMs } from "./process-stats.ts";
import { modelUrl, portVariables, question, serverUrl } from "./workload.ts";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "1000" },
    rounds: { type: "string", default: "5" },
    orgs: { type: "string", default: "300" },
  },
});
const [runs, rounds, orgs] = [Number(values.runs), Number(values.rounds), Number(values.orgs)];
const agentsPerOrg = 5;
const connections = 8;
const secret = "bench-key-0123456789abcdef";

const workspace = mkdtempSync(join(tmpdir(), "argosy-bench-"));
mkdirSync(join(workspace, "agents"));
const plan = { max_agents: agentsPerOrg, requests_per_day: 100_000_000, max_members: 3 };
writeFileSync(
  join(workspace, "runtime.yaml"),
  JSON.stringify({ spec: { cloud: { plans: { free: plan } } } }),
);
const vendor = { type: "openai", endpoint: modelUrl, api_key_env: "BENCH_KEY" };
writeFileSync(join(workspace, "providers.yaml"), JSON.stringify({ providers: { openai: vendor } }));

const config = (name: string) => ({
  name,
  display_name: "Desk",
  step1: { model: "openai/mock" },
  step2: { system_prompt: "You answer for the desk of {{ context.office }}. Session {{ session_id }}." },
  step3: { tools: ["datetime_now"] },
  step5: { input_guardrails: ["pii_detection"], output_guardrails: ["pii_detection"] },
});

async function serve() {
  const startedMs = performance.now();
  const child = Bun.spawn(
    [join(import.meta.dir, "../../dist/argosy"), "serve", "--json", "--services", "daemon,cloud"],
    {
      cwd: workspace,
      env: {
        PATH: process.env.PATH,
        HOME: workspace,
        ...portVariables,
        ARGOSY_CLOUD_PORT: "0",
        PLATFORM_LOG_LEVEL: "warning",
        BENCH_KEY: secret,
      },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const { value } = await child.stdout.getReader().read();
  const { services } = JSON.parse(new TextDecoder().decode(value)) as {
    services: { name: string; url: string }[];
  };
  const url = services.find(({ name }) => name === "cloud")?.url ?? "";
  while (!(await fetch(`${url}/readyz`)).ok) await Bun.sleep(5);
  const readyMs = performance.now() - startedMs;
  return {
    pid: child.pid,
    url,
    readyMs,
    cpuAtReadyMs: treeCpuMs(child.pid),
    async stop() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

/** Sends `total` runs in sessions of ten turns, and returns the server's CPU time per run, in ms. */
async function cpuPerRun(
  pid: number,
  total: number,
  tag: string,
  url: string,
  headers: Record<string, string>,
) {
  const before = treeCpuMs(pid);
  let sent = 0;
  const asking = async () => {
    for (let turn = sent++; turn < total; turn = sent++) {
      const body = JSON.stringify({
        query: question,
        session_id: `${tag}-${Math.floor(turn / 10)}`,
        context: { office: "Lima" },
      });
      const answer = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body,
      });
      const text = await answer.text();
      // On a loaded machine, the child that renders tenants' templates may be late.
      if (answer.status === 422 && text.includes("template_failed")) {
        sent--;
        continue;
      }
      if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, asking));
  return (treeCpuMs(pid) - before) / total;
}

const median = (figures: number[]) =>
  figures.toSorted((one, other) => one - other)[Math.floor(figures.length / 2)] ?? 0;
const at = (baseUrl: string, headers: Record<string, string> = {}): CloudClient =>
  cloudClient({ baseUrl, headers, fetch: (request) => fetch(request) });

/** Signs in the owner of the first org, and deploys its agents, the last of them on the rehearsal model. Returns an API key. */
async function fillOrg(url: string): Promise<string> {
  const number = 1;
  const { access_token, org_slug } = await at(url).devLogin({
    email: `org${number}@example.com`,
    name: `Org ${number}`,
  });
  const client = at(url, { authorization: `Bearer ${access_token}` });
  await client.saveProvider(org_slug, { provider: "openai", api_key: secret });
  for (let agent = 1; agent <= agentsPerOrg; agent++) {
    const rehearsed = agent === agentsPerOrg ? { step1: { model: "rehearsal/rehearsal" } } : {};
    await client.createAgent(org_slug, { ...config(`agent${agent}`), ...rehearsed });
    await client.deploy(org_slug, `agent${agent}`);
  }
  return (await client.createKey(org_slug, "bench")).secret;
}

/** Copies the last agent of the first org to every place of all orgs, and gives the last org an API key. */
function copyOrgs(): string {
  const db = new Database(join(workspace, ".argosy/cloud.db"));
  const key = "ask-bench-of-the-last-org";
  db.transaction(() => {
    for (let org = 2; org <= orgs; org++) {
      db.run("insert into orgs select ?, ?, display_name, plan, created_at from orgs where slug = 'org1'", [
        `copy-${org}`,
        `org${org}`,
      ]);
      for (let agent = 1; agent <= agentsPerOrg; agent++) {
        db.run(
          `insert into agents (id, org_id, name, display_name, config, status, spec, checksum, created_at, updated_at, deployed_at)
           select ?, ?, ?, display_name, config, status, replace(spec, 'agent${agentsPerOrg}', ?), checksum || ?, created_at, updated_at, deployed_at
           from agents where name = ? and org_id = (select id from orgs where slug = 'org1')`,
          [
            `copy-${org}-${agent}`,
            `copy-${org}`,
            `agent${agent}`,
            `agent${agent}`,
            `${agent}`,
            `agent${agentsPerOrg}`,
          ],
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

const model = Bun.spawn([process.execPath, join(import.meta.dir, "mock-model.ts")], {
  env: { ...process.env, ...portVariables },
  stdio: ["ignore", "ignore", "pipe"],
});
await model.stderr.getReader().read();
let server = await serve();
try {
  const key = await fillOrg(server.url);
  const first = at(server.url, { "x-api-key": key });
  writeFileSync(join(workspace, "agents/agent1.agent.yaml"), await first.manifest("org1", "agent1"));
  await server.stop();
  server = await serve();
  const runUrl = (org: number, agent: number) =>
    `${server.url}/api/v1/orgs/org${org}/agents/agent${agent}/run`;
  const figures: { daemon: number; cloud: number }[] = [];
  for (let round = 0; round <= rounds; round++) {
    const daemon = await cpuPerRun(server.pid, runs, `d${round}`, `${serverUrl}/v1/agents/agent1/run`, {});
    const cloud = await cpuPerRun(server.pid, runs, `c${round}`, runUrl(1, 1), {
      "x-api-key": key,
    });
    // The first round is a warm-up.
    if (round > 0) figures.push({ daemon, cloud });
  }
  const [daemon, cloud] = [median(figures.map((one) => one.daemon)), median(figures.map((one) => one.cloud))];
  const added = median(figures.map((one) => one.cloud - one.daemon));
  console.log(
    `run      daemon ${daemon.toFixed(3)} ms, cloud ${cloud.toFixed(3)} ms, added ${added.toFixed(3)} ms CPU (goal 0.3)`,
  );

  await server.stop();
  const lastKey = copyOrgs();
  server = await serve();
  await Bun.sleep(2000);
  const idle = rssMib(server.pid);
  console.log(
    `start    ${(server.readyMs / 1000).toFixed(2)} s until ${orgs * agentsPerOrg} agents are registered, ${(server.cpuAtReadyMs / 1000).toFixed(2)} s CPU (goal 2)`,
  );
  console.log(`idle     ${idle.toFixed(0)} MiB (goal 180)`);
  const ends: { first: number; last: number }[] = [];
  for (let round = 0; round <= rounds; round++) {
    const one = await cpuPerRun(server.pid, runs, `f${round}`, runUrl(1, agentsPerOrg), {
      "x-api-key": key,
    });
    const last = await cpuPerRun(server.pid, runs, `l${round}`, runUrl(orgs, agentsPerOrg), {
      "x-api-key": lastKey,
    });
    if (round > 0) ends.push({ first: one, last });
  }
  const [one, last] = [median(ends.map((end) => end.first)), median(ends.map((end) => end.last))];
  console.log(`agents   the first costs ${one.toFixed(3)} ms CPU a run, the last ${last.toFixed(3)} ms`);
} finally {
  await server.stop();
  model.kill();
  await model.exited;
  rmSync(workspace, { recursive: true });
}
