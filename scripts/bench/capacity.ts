/**
 * Measures the parts of docs/capacity.md: the CPU time of a run on each engine, of a run that makes a hop to another node, the bytes that a
 * run leaves in each database, the memory of an open stream, and the CPU time of ingested chunks.
 *
 *   scripts/build && node_modules/.bin/bun scripts/bench/capacity.ts [--runs 600] [--part hop|bare-hop|sqlite|postgres|streams|ingest]
 *     [--beside <another executable>]
 *
 * `--beside` measures the hop of another version in turns with this one, so that both meet the same load of the machine. Linux only. The model server answers at once, so everything measured is Argosy's own.
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SQL } from "bun";
import { agentFile } from "../../tests/support/daemon.ts";
import { type ServerProcess, startServer } from "../../tests/support/executable.ts";
import { agentFiles, startMeshNodes } from "../../tests/support/mesh-nodes.ts";
import { type RecordedRequest, startModelServer } from "../../tests/support/model-server.ts";
import { ownPostgresServer } from "../../tests/support/postgres.ts";
import { temporaryFolder } from "../../tests/support/temp-folder.ts";
import { writeFiles } from "../../tests/support/write-files.ts";
import type { BareWay } from "./bare-hop.ts";
import { cpuMs, rssMib } from "./process-stats.ts";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "600" },
    part: { type: "string" },
    beside: { type: "string" },
  },
});
const runs = Number(values.runs);
const connections = 16;
const answer = [{ text: "Our shop opens at nine and closes at six, from Monday to Saturday." }] as const;
const ring = (byte: number) => `k${byte}:${Buffer.alloc(32, byte).toString("base64")}`;

/** Sends `count` runs to a server, `atOnce` at once, each session with ten turns. Returns the latencies in ms, sorted. */
async function send(
  server: ServerProcess,
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
        const number = sent++;
        const startedAt = performance.now();
        const { status, text } = await server.run(
          agent,
          "When do you open?",
          `${tag}-${number % (count / 10)}`,
        );
        if (status !== 200) throw new Error(text);
        latencies.push(performance.now() - startedAt);
      }
    }),
  );
  return latencies.toSorted((a, b) => a - b);
}

const median = (sorted: readonly number[]) => sorted[Math.floor(sorted.length / 2)] ?? 0;
const rounded = (value: number, digits = 3) => Number(value.toFixed(digits));

function folderBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/**
 * Callers at once, and what the model takes for an answer. 64 callers of a fast model need more than the cores of a small machine: what they
 * wait for is each other.
 */
const waitingLoads = [
  { atOnce: 1, ms: 20 },
  { atOnce: 8, ms: 20 },
  { atOnce: 16, ms: 20 },
  { atOnce: 64, ms: 20 },
  { atOnce: 64, ms: 100 },
] as const;
/** Runs of each measurement of a wait: half a second to two. */
const waitingRuns = (atOnce: number) => (atOnce > 16 ? 12 : 24) * atOnce;

/** Rounds of each comparison. */
const rounds = 9;

interface Load {
  cpu: number;
  p50: number;
}

/** An agent that calls a tool, so that a run has two model calls, as in the workload W4. */
const clerk = agentFile("clerk", { tools: [{ name: "datetime_now", type: "builtin" }] });
const callsTool = ({ body: { tools, messages } }: RecordedRequest) =>
  tools !== undefined && messages.at(-1)?.role === "user";

/** Two nodes of one version, `b` with the agents and `a` without. */
async function startPair(program: string | undefined, modelMs: () => number) {
  const mesh = await startMeshNodes({
    agents: { a: {}, b: { ...agentFiles("helper"), "clerk.agent.yaml": clerk } },
    models: (request) => ({
      ...(callsTool(request) ? { toolCalls: [{ name: "datetime_now", arguments: {} }] } : answer[0]),
      ...(modelMs() > 0 && { after: Bun.sleep(modelMs()) }),
    }),
    // The default times: each message between nodes is CPU time as well.
    spec: () => ({ mesh: {} }),
    program: () => program,
  });
  const [a, b] = [mesh.get("a"), mesh.get("b")];
  const measure = async (
    server: ServerProcess,
    tag: string,
    count: number,
    atOnce: number,
    agent: string,
  ): Promise<Load> => {
    const before = cpuMs(a.pid) + cpuMs(b.pid);
    const latencies = await send(server, count, tag, atOnce, agent);
    return { cpu: (cpuMs(a.pid) + cpuMs(b.pid) - before) / count, p50: median(latencies) };
  };
  return {
    name: program ?? "this version",
    /** Sends runs to the node that has the agent, then to the other one. */
    async compare(tag: string, count: number, atOnce: number, agent = "helper") {
      const local = await measure(b, `${tag}-local`, count, atOnce, agent);
      return { local, routed: await measure(a, `${tag}-routed`, count, atOnce, agent) };
    },
    [Symbol.asyncDispose]: () => mesh[Symbol.asyncDispose](),
  };
}

/** Compares all pairs in turns, and returns the medians of each. */
async function compareAll(
  pairs: readonly Awaited<ReturnType<typeof startPair>>[],
  tag: string,
  count: number,
  atOnce: number,
  agent?: string,
) {
  const measured = new Map(pairs.map((pair) => [pair, [] as { local: Load; routed: Load }[]]));
  for (let round = 0; round < rounds; round++) {
    for (const pair of round % 2 === 0 ? pairs : pairs.toReversed()) {
      measured.get(pair)?.push(await pair.compare(`${tag}-${round}`, count, atOnce, agent));
    }
  }
  return [...measured].map(([{ name }, loads]) => {
    const middle = (of: (load: (typeof loads)[number]) => number) =>
      rounded(median(loads.map(of).toSorted((x, y) => x - y)));
    return {
      name,
      cpu: [middle(({ local }) => local.cpu), middle(({ routed }) => routed.cpu)],
      cpuMore: middle(({ local, routed }) => routed.cpu - local.cpu),
      p50: [middle(({ local }) => local.p50), middle(({ routed }) => routed.p50)],
      p50More: middle(({ local, routed }) => routed.p50 - local.p50),
    };
  });
}

/**
 * CPU time of both nodes for a run on the node that gets it, and for one that makes a hop, in turns. The waits are those of callers of an
 * agent that calls a tool between two answers of a model, as in W4, where the model takes 20 ms for each and 64 call at once.
 */
async function measureHop(): Promise<void> {
  let modelMs = 0;
  await using started = new AsyncDisposableStack();
  const pairs: Awaited<ReturnType<typeof startPair>>[] = [];
  for (const program of [undefined, ...(values.beside === undefined ? [] : [values.beside])]) {
    pairs.push(started.use(await startPair(program, () => modelMs)));
  }
  for (const pair of pairs) await pair.compare("warm", runs * 4, connections);
  for (const { name, cpu, cpuMore } of await compareAll(pairs, "busy", runs, connections)) {
    console.info(
      `hop of ${name}: local ${cpu[0]} ms, routed ${cpu[1]} ms of CPU a run, both nodes together; medians of ${rounds} pairs, difference ${cpuMore} ms`,
    );
  }
  for (const pair of pairs) await pair.compare("warm-clerk", runs * 2, connections, "clerk");
  for (const { atOnce, ms } of waitingLoads) {
    modelMs = ms;
    const compared = await compareAll(pairs, `waiting-${atOnce}-${ms}`, waitingRuns(atOnce), atOnce, "clerk");
    for (const { name, p50, p50More } of compared) {
      console.info(
        `hop of ${name}, twice a model of ${ms} ms, ${atOnce} at once: p50 local ${p50[0]} ms, routed ${p50[1]} ms, difference ${p50More} ms`,
      );
    }
  }
}

/** CPU time that a hop between two bare servers adds, as a request and in a WebSocket: what any hop costs at least. */
async function measureBareHop(): Promise<void> {
  const start = async (way: BareWay, peer = 0) => {
    const program = join(import.meta.dir, "bare-hop.ts");
    const child = Bun.spawn([process.execPath, program, way, String(peer)], { stdout: "pipe" });
    const first = await child.stdout.getReader().read();
    return { pid: child.pid, port: Number(new TextDecoder().decode(first.value)), stop: () => child.kill() };
  };
  const local = await start("local");
  const servers = [local, await start("request", local.port), await start("link", local.port)];
  const cpu = () => servers.reduce((sum, { pid }) => sum + cpuMs(pid), 0);
  const post = async (port: number, path: string, body: string) =>
    (await fetch(`http://127.0.0.1:${port}/${path}`, { method: "POST", body })).text();
  const body = JSON.stringify({ query: "When do you open?", session_id: "session-1" });
  const measure = async (port: number, count: number, atOnce: number): Promise<Load> => {
    const before = cpu();
    const latencies: number[] = [];
    let sent = 0;
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (sent++ < count) {
          const startedAt = performance.now();
          await post(port, "run", body);
          latencies.push(performance.now() - startedAt);
        }
      }),
    );
    return { cpu: (cpu() - before) / count, p50: median(latencies.toSorted((a, b) => a - b)) };
  };
  /** Returns what each way adds to a run on one server: the medians of all rounds. */
  const compare = async (count: number, atOnce: number, of: (load: Load) => number) => {
    const measured: number[][] = [];
    for (let round = 0; round < rounds; round++) {
      const each: number[] = [];
      for (const { port } of servers) each.push(of(await measure(port, count, atOnce)));
      measured.push(each);
    }
    return [1, 2].map((way) =>
      rounded(median(measured.map((each) => (each[way] ?? 0) - (each[0] ?? 0)).toSorted((x, y) => x - y))),
    );
  };
  for (const { port } of servers) await measure(port, runs * 10, connections);
  const [request, link] = await compare(runs * 10, connections, (load) => load.cpu);
  console.info(`bare hop: ${request} ms of CPU more as a request, ${link} ms in a WebSocket`);
  for (const { atOnce, ms } of waitingLoads) {
    await post(local.port, "model", String(ms));
    const [request, link] = await compare(waitingRuns(atOnce), atOnce, (load) => load.p50);
    console.info(
      `bare hop, model of ${ms} ms, ${atOnce} at once: p50 ${request} ms more as a request, ${link} ms in a WebSocket`,
    );
  }
  for (const { stop } of servers) stop();
}

/** CPU time, rate and bytes of runs on one engine. */
async function measureEngine(engine: "sqlite" | "postgres"): Promise<void> {
  using folder = temporaryFolder();
  const models = await startModelServer(answer);
  writeFiles(folder.path, {
    "providers.yaml": JSON.stringify({ providers: { lab: { type: "vllm", endpoint: models.url } } }),
    "agents/helper.agent.yaml": agentFile("helper"),
  });
  const url = engine === "postgres" ? await (await ownPostgresServer()).createDatabase() : undefined;
  const env =
    url === undefined ? {} : { DATABASE_URL: url, ARGOSY_SEALING_KEYS: ring(1), ARGOSY_JWT_KEYS: ring(2) };
  const bytes = async () => {
    if (url === undefined) return folderBytes(join(folder.path, ".argosy"));
    await using sql = new SQL(url, { max: 1 });
    const [row] = await sql`select pg_database_size(current_database()) as bytes`;
    return Number(row.bytes);
  };
  const stopped = async (server: ServerProcess) => {
    server.kill("SIGTERM");
    await server.exited;
    return bytes();
  };
  const before = await startServer(folder.path, { env });
  await send(before, runs, "earlier");
  // A server that stops has written everything, and its log of changes is merged.
  const bytesBefore = await stopped(before);
  {
    await using server = await startServer(folder.path, { env });
    await send(server, runs, "warm");
    const [cpuBefore, startedAt] = [cpuMs(server.pid), performance.now()];
    const latencies = await send(server, runs * 3, "run");
    const seconds = (performance.now() - startedAt) / 1000;
    const cpu = (cpuMs(server.pid) - cpuBefore) / (runs * 3);
    const grown = ((await stopped(server)) - bytesBefore) / (runs * 4);
    console.info(
      `${engine}: ${rounded(cpu)} ms of CPU a run, ${Math.round((runs * 3) / seconds)} runs a second measured, p50 ${rounded(median(latencies), 1)} ms, ${Math.round(grown)} bytes a run with its trace`,
    );
  }
  await models.stop();
}

/** Memory of open streams that wait for their model. */
async function measureStreams(): Promise<void> {
  const streams = 200;
  using folder = temporaryFolder();
  const release = Promise.withResolvers<void>();
  const models = await startModelServer([
    { text: ["One ", "two."], hold: { afterEvents: 1, until: release.promise } },
  ]);
  writeFiles(folder.path, {
    "providers.yaml": JSON.stringify({ providers: { lab: { type: "vllm", endpoint: models.url } } }),
    "agents/helper.agent.yaml": agentFile("helper"),
  });
  await using server = await startServer(folder.path, {});
  await send(server, 0, "none");
  const before = rssMib(server.pid);
  const left = new AbortController();
  const open = await Promise.all(
    Array.from({ length: streams }, async () => {
      const response = await fetch(`${server.url}/v1/agents/helper/run`, {
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
  using folder = temporaryFolder();
  await using server = await startServer(folder.path, {});
  const word = (number: number) => `word${(number * 2_654_435_761) % 9_973}`;
  const text = (seed: number) => Array.from({ length: 320 }, (_, at) => word(seed * 320 + at)).join(" ");
  const ingest = async (batch: number) => {
    const documents = Array.from({ length: 50 }, (_, at) => ({ text: text(batch * 50 + at) }));
    const { body, status } = await server.call("POST", "/v1/rag/ingest", {
      body: { collection: "bench", documents },
    });
    if (status !== 200) throw new Error(JSON.stringify(body));
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
  "bare-hop": measureBareHop,
  sqlite: () => measureEngine("sqlite"),
  postgres: () => measureEngine("postgres"),
  streams: measureStreams,
  ingest: measureIngest,
};
for (const [name, measure] of Object.entries(parts)) {
  if (values.part === undefined || values.part === name) await measure();
}
process.exit(0);
