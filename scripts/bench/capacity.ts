/**
 * Measures the parts of docs/capacity.md: the CPU time of a run on each engine, of a run that makes a hop to another node, the bytes that a
 * run leaves in each database, the memory of an open stream, and the CPU time of ingested chunks.
 *
 *   scripts/build && node_modules/.bin/bun scripts/bench/capacity.ts [--runs 600] [--part hop|sqlite|postgres|streams|ingest]
 *
 * Linux only. The model server answers at once, so everything measured is Argosy's own.
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { agentFile } from "../../tests/support/daemon.ts";
import type { ServerProcess } from "../../tests/support/executable.ts";
import { agentFiles, startMeshNodes } from "../../tests/support/mesh-nodes.ts";
import { type RecordedRequest, startModelServer } from "../../tests/support/model-server.ts";
import { ownPostgresServer } from "../../tests/support/postgres.ts";
import { median } from "./figures.ts";
import { readOptions } from "./options.ts";
import { cpuMs, rssMib } from "./process-stats.ts";
import { type Argosy, startArgosy, temporaryWorkspace } from "./servers.ts";

const { runs, part } = readOptions({ runs: 600, part: "" });
const connections = 16;
const answer = [{ text: "Our shop opens at nine and closes at six, from Monday to Saturday." }] as const;
const ring = (byte: number) => `k${byte}:${Buffer.alloc(32, byte).toString("base64")}`;

/** Sends `count` runs to a server, `atOnce` at once, each session with ten turns. Returns the latencies in ms, sorted. */
async function send(
  url: string,
  count: number,
  tag: string,
  atOnce = connections,
  agent = "helper",
): Promise<number[]> {
  const latencies: number[] = [];
  let sent = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (sent < count) {
        const body = { query: "When do you open?", session_id: `${tag}-${sent++ % (count / 10)}` };
        const startedAt = performance.now();
        await post(`${url}/v1/agents/${agent}/run`, body);
        latencies.push(performance.now() - startedAt);
      }
    }),
  );
  return latencies.toSorted((a, b) => a - b);
}

/** Posts JSON, and returns the answer; throws if it is a refusal. */
async function post(url: string, body: object) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

/** A new folder with an agent and its model. */
const workspaceWith = (modelUrl: string) =>
  temporaryWorkspace({
    "providers.yaml": { providers: { lab: { type: "vllm", endpoint: modelUrl } } },
    "agents/helper.agent.yaml": agentFile("helper"),
  });

const rounded = (value: number, digits = 3) => Number(value.toFixed(digits));

function folderBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/**
 * CPU time of both nodes for a run on the node that has the agent, and for one that makes a hop, in turns. The waits are those of callers of an
 * agent that calls a tool between two answers of a model of 20 ms, as in the workload W4.
 */
async function measureHop(): Promise<void> {
  let modelMs = 0;
  const clerk = agentFile("clerk", { tools: [{ name: "datetime_now", type: "builtin" }] });
  const callsTool = ({ body: { tools, messages } }: RecordedRequest) =>
    tools !== undefined && messages.at(-1)?.role === "user";
  await using mesh = await startMeshNodes({
    agents: { a: {}, b: { ...agentFiles("helper"), "clerk.agent.yaml": clerk } },
    models: (request) => ({
      ...(callsTool(request) ? { toolCalls: [{ name: "datetime_now", arguments: {} }] } : answer[0]),
      ...(modelMs > 0 && { after: Bun.sleep(modelMs) }),
    }),
    // The default times: each message between nodes is CPU time as well.
    spec: () => ({ mesh: {} }),
  });
  const [without, local] = [mesh.get("a"), mesh.get("b")];
  const measure = async (
    server: ServerProcess,
    tag: string,
    count: number,
    atOnce: number,
    agent: string,
  ) => {
    const before = cpuMs(without.pid) + cpuMs(local.pid);
    const latencies = await send(server.url, count, tag, atOnce, agent);
    const cpu = (cpuMs(without.pid) + cpuMs(local.pid) - before) / count;
    return { cpu, p50: median(latencies) };
  };
  const compare = async (count: number, atOnce: number, agent: string) => {
    const pairs: { local: { cpu: number; p50: number }; routed: { cpu: number; p50: number } }[] = [];
    // The first pair is a warm-up.
    for (let round = 0; round <= 9; round++) {
      const tag = `${agent}-${atOnce}-${round}`;
      const pair = {
        local: await measure(local, `${tag}-local`, count, atOnce, agent),
        routed: await measure(without, `${tag}-routed`, count, atOnce, agent),
      };
      if (round > 0) pairs.push(pair);
    }
    return (of: (pair: (typeof pairs)[number]) => number) => rounded(median(pairs.map(of)));
  };
  const cpu = await compare(runs, connections, "helper");
  console.info(
    `hop: local ${cpu(({ local }) => local.cpu)} ms of CPU a run, both nodes together; ${cpu(({ local, routed }) => routed.cpu - local.cpu)} ms more when routed`,
  );
  modelMs = 20;
  for (const atOnce of [1, 8, 16, 64]) {
    const p50 = await compare(Math.min(runs, atOnce * 20), atOnce, "clerk");
    console.info(
      `hop, twice a model of 20 ms, ${atOnce} at once: p50 local ${p50(({ local }) => local.p50)} ms, ${p50(({ local, routed }) => routed.p50 - local.p50)} ms more when routed`,
    );
  }
}

/** CPU time, rate and bytes of runs on one engine. */
async function measureEngine(engine: "sqlite" | "postgres"): Promise<void> {
  const models = await startModelServer(answer);
  using folder = workspaceWith(models.url);
  const url = engine === "postgres" ? await (await ownPostgresServer()).createDatabase() : undefined;
  const env =
    url === undefined ? {} : { DATABASE_URL: url, ARGOSY_SEALING_KEYS: ring(1), ARGOSY_JWT_KEYS: ring(2) };
  const bytes = async () => {
    if (url === undefined) return folderBytes(join(folder.path, ".argosy"));
    await using sql = new SQL(url, { max: 1 });
    const [row] = await sql`select pg_database_size(current_database()) as bytes`;
    return Number(row.bytes);
  };
  /** Serves during the work, then stops: a server that stops has written everything, and its log of changes is merged. */
  const served = async <T>(work: (server: Argosy) => Promise<T>): Promise<T> => {
    await using server = await startArgosy(folder.path, "daemon", env);
    return await work(server);
  };
  await served((server) => send(server.urlOf("daemon"), runs, "earlier"));
  const bytesBefore = await bytes();
  const { cpu, seconds, latencies } = await served(async (server) => {
    await send(server.urlOf("daemon"), runs, "warm");
    const [cpuBefore, startedAt] = [cpuMs(server.pid), performance.now()];
    const latencies = await send(server.urlOf("daemon"), runs * 3, "run");
    const seconds = (performance.now() - startedAt) / 1000;
    return { cpu: (cpuMs(server.pid) - cpuBefore) / (runs * 3), seconds, latencies };
  });
  const grown = ((await bytes()) - bytesBefore) / (runs * 4);
  console.info(
    `${engine}: ${rounded(cpu)} ms of CPU a run, ${Math.round((runs * 3) / seconds)} runs a second measured, p50 ${rounded(median(latencies), 1)} ms, ${Math.round(grown)} bytes a run with its trace`,
  );
  await models.stop();
}

/** Memory of open streams that wait for their model. */
async function measureStreams(): Promise<void> {
  const streams = 200;
  const release = Promise.withResolvers<void>();
  const models = await startModelServer([
    { text: ["One ", "two."], hold: { afterEvents: 1, until: release.promise } },
  ]);
  using folder = workspaceWith(models.url);
  await using server = await startArgosy(folder.path, "daemon");
  const before = rssMib(server.pid);
  const left = new AbortController();
  const open = await Promise.all(
    Array.from({ length: streams }, async () => {
      const response = await fetch(`${server.urlOf("daemon")}/v1/agents/helper/run`, {
        method: "POST",
        body: JSON.stringify({ query: "Count." }),
        headers: { accept: "text/event-stream" },
        signal: left.signal,
      });
      await response.body?.getReader().read();
      return response;
    }),
  );
  const kib = ((rssMib(server.pid) - before) * 1024) / open.length;
  console.info(`streams: ${rounded(kib, 1)} KiB each, ${Math.round(1024 ** 2 / kib)} in a GiB`);
  left.abort();
  release.resolve();
  await models.stop();
}

/** CPU time of documents that are cut, embedded by `local_hash` and stored in LanceDB. */
async function measureIngest(): Promise<void> {
  using folder = temporaryWorkspace();
  await using server = await startArgosy(folder.path, "daemon");
  const word = (number: number) => `word${(number * 2_654_435_761) % 9_973}`;
  const text = (seed: number) => Array.from({ length: 320 }, (_, at) => word(seed * 320 + at)).join(" ");
  const ingest = async (batch: number) => {
    const documents = Array.from({ length: 50 }, (_, at) => ({ text: text(batch * 50 + at) }));
    const body = await post(`${server.urlOf("daemon")}/v1/rag/ingest`, { collection: "bench", documents });
    return body.chunks_created as number;
  };
  await ingest(0);
  const [before, startedAt] = [cpuMs(server.pid), performance.now()];
  let chunks = 0;
  for (let batch = 1; batch <= 10; batch++) chunks += await ingest(batch);
  const cpu = cpuMs(server.pid) - before;
  console.info(
    `ingest: ${rounded(cpu / chunks)} ms of CPU a chunk of 512 characters, ${Math.round((chunks * 1000) / cpu)} chunks a second of one core, ${Math.round((chunks * 1000) / (performance.now() - startedAt))} measured`,
  );
}

const parts: Readonly<Record<string, () => Promise<void>>> = {
  hop: measureHop,
  sqlite: () => measureEngine("sqlite"),
  postgres: () => measureEngine("postgres"),
  streams: measureStreams,
  ingest: measureIngest,
};
for (const [name, measure] of Object.entries(parts)) {
  if (part === "" || part === name) await measure();
}
process.exit(0);
