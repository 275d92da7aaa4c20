import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, quantile } from "./figures.ts";
import { load } from "./load.ts";
import { cpuMs, rssMib } from "./process-stats.ts";
import { argosyCommand, temporaryWorkspace } from "./servers.ts";
import {
  measureSteady,
  openSocketStreamer,
  type SteadyFigures,
  type Streamer,
  type StreamResult,
  sseStreamer,
} from "./streams.ts";
import { type AgentName, ports, portVariables, serverUrl, tokensOf, writeWorkspace } from "./workload.ts";

/** A server to measure, and the command that starts it in a folder of its own. */
export interface System {
  name: string;
  command: (workspace: string) => string[];
}

export interface RunFigures {
  runsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  cpuMsPerRun: number;
  /** 1, or 2 with a tool: shows that the work was really done. */
  modelCallsPerRun: number;
  errors: number;
}

export interface StreamFigures {
  firstTokenMs: number;
  tokensPerSecond: number;
  cpuUsPerToken: number;
  /** Answers that broke off or differ from the model's text. */
  wrong: number;
}

export interface StartFigures {
  coldStartMs: number;
  idleMib: number;
  loadedMib: number;
}

/** The figures of one system in one round. */
export interface Row {
  round: number;
  system: string;
  W1?: RunFigures;
  W2?: RunFigures;
  W3sse?: StreamFigures;
  W3ws?: StreamFigures;
  W3paced?: StreamFigures;
  W4?: RunFigures;
  W5?: StartFigures;
  W6?: SteadyFigures;
  W6guarded?: SteadyFigures;
}

export type Workload = "W1" | "W2" | "W3" | "W3paced" | "W4" | "W5" | "W6";

export interface Plan {
  /** Seconds of each measurement under load. */
  seconds: number;
  only: ReadonlySet<Workload>;
}

/** Starts the system in a new folder, measures the workloads of the plan, and stops it. */
export async function measure(system: System, round: number, plan: Plan): Promise<Row> {
  using folder = temporaryWorkspace();
  const workspace = folder.path;
  writeWorkspace(workspace);
  const row: Row = { round, system: system.name };
  const tag = `r${round}`;
  // The first start creates the data folder; later starts measure a restart.
  await (await start(system, workspace)).stop("SIGTERM");
  const starts: number[] = [];
  for (let again = 0; plan.only.has("W5") && again < 4; again++) {
    const server = await start(system, workspace);
    starts.push(server.startMs);
    await server.stop("SIGTERM");
  }
  const server = await start(system, workspace);
  starts.push(server.startMs);
  try {
    await Bun.sleep(1500);
    const idleMib = rssMib(server.pid);

    await load("tool", 16, 2, `${tag}-warm`);
    const runs = (agent: AgentName, connections: number, name: string) =>
      measureRuns(server.pid, agent, connections, plan.seconds, `${tag}-${name}`);
    if (plan.only.has("W1")) row.W1 = await runs("plain", 16, "W1");
    if (plan.only.has("W2")) row.W2 = await runs("tool", 16, "W2");
    if (plan.only.has("W4")) row.W4 = await runs("tool20", 64, "W4");
    if (plan.only.has("W3")) {
      row.W3sse = await measureStreams(
        server.pid,
        async () => sseStreamer("plain"),
        plan.seconds,
        `${tag}-sse`,
      );
      row.W3ws = await measureStreams(
        server.pid,
        () => openSocketStreamer("plain"),
        plan.seconds,
        `${tag}-ws`,
      );
    }
    if (plan.only.has("W3paced")) row.W3paced = await measurePaced(server.pid, `${tag}-paced`);
    if (plan.only.has("W6")) {
      row.W6 = await measureSteady(server.pid, "steady", `${tag}-steady`);
      row.W6guarded = await measureSteady(server.pid, "steadyguarded", `${tag}-guarded`);
    }
    if (plan.only.has("W5")) row.W5 = { coldStartMs: median(starts), idleMib, loadedMib: rssMib(server.pid) };
  } finally {
    await server.stop("SIGKILL");
  }
  return row;
}

/** Starts the daemon with the workload's agents in a new folder. When it is disposed, it is killed and the folder removed. */
export async function startDaemon(): Promise<AsyncDisposable & { pid: number }> {
  const folder = temporaryWorkspace();
  writeWorkspace(folder.path);
  const command = () => [...argosyCommand(), "serve", "--workspace", folder.path, "--services", "daemon"];
  const server = await start({ name: "argosy", command }, folder.path);
  return {
    pid: server.pid,
    async [Symbol.asyncDispose]() {
      await server.stop("SIGKILL");
      folder[Symbol.dispose]();
    },
  };
}

/** Spawns the server and waits for its first healthy answer. */
export async function start(system: System, workspace: string) {
  const log = join(tmpdir(), `argosy-bench-${system.name}.log`);
  const startedAt = performance.now();
  const child = Bun.spawn(system.command(workspace), {
    cwd: workspace,
    env: {
      PATH: process.env.PATH,
      HOME: workspace,
      NODE_ENV: "production",
      ...portVariables,
      BENCH_MODEL_KEY: "bench",
    },
    stdio: ["ignore", Bun.file(log), Bun.file(log)],
  });
  while (!(await answers(`${serverUrl}/health`))) {
    if (child.exitCode !== null)
      throw new Error(`${system.name} ended with status ${child.exitCode} before it answered: ${log}`);
    if (performance.now() - startedAt > 30_000)
      throw new Error(`${system.name} gives no healthy answer: ${log}`);
    await Bun.sleep(1);
  }
  const stop = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await child.exited;
  };
  return { pid: child.pid, startMs: performance.now() - startedAt, stop };
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

async function measureRuns(
  pid: number,
  agent: AgentName,
  connections: number,
  seconds: number,
  tag: string,
): Promise<RunFigures> {
  const callsBefore = await modelCalls();
  const cpuBefore = cpuMs(pid);
  const { runs, errors, latencies, seconds: took } = await load(agent, connections, seconds, tag);
  if (runs === 0) throw new Error(`${agent}: no run was answered; ${errors} failed`);
  const calls = (await modelCalls()) - callsBefore;
  return {
    runsPerSecond: runs / took,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    cpuMsPerRun: (cpuMs(pid) - cpuBefore) / (runs + errors),
    modelCallsPerRun: calls / (runs + errors),
    errors,
  };
}

async function modelCalls(): Promise<number> {
  const { calls } = (await (await fetch(`http://127.0.0.1:${ports.model}/stats`)).json()) as {
    calls: number;
  };
  return calls;
}

/** Measures one stream at a time for the time to the first token, then sixteen at once. */
async function measureStreams(
  pid: number,
  open: () => Promise<Streamer & Partial<Disposable>>,
  seconds: number,
  tag: string,
): Promise<StreamFigures> {
  const one = await open();
  const alone: StreamResult[] = [];
  for (let turn = 0; turn < 19; turn++) alone.push(await one(`${tag}-a${turn}`, true));
  const many = await Promise.all(Array.from({ length: 16 }, open));
  const cpuBefore = cpuMs(pid);
  const startedAt = performance.now();
  const together: StreamResult[] = [];
  let session = 0;
  await Promise.all(
    many.map(async (stream) => {
      while (performance.now() - startedAt < seconds * 1000)
        together.push(await stream(`${tag}-b${session++}`));
    }),
  );
  const took = (performance.now() - startedAt) / 1000;
  const tokens = together.filter(({ complete }) => complete).length * tokensOf("plain");
  for (const stream of [one, ...many]) stream[Symbol.dispose]?.();
  return {
    firstTokenMs: median(alone.slice(4).map((result) => result.firstTokenMs)),
    tokensPerSecond: tokens / took,
    cpuUsPerToken: ((cpuMs(pid) - cpuBefore) * 1000) / tokens,
    wrong: [...alone, ...together].filter(({ complete }) => !complete).length,
  };
}

/** Measures two waves of 64 streams, each with a token every 10 ms: every token is its own event, as with a real model. */
async function measurePaced(pid: number, tag: string): Promise<StreamFigures> {
  const stream = sseStreamer("paced");
  const cpuBefore = cpuMs(pid);
  const startedAt = performance.now();
  const results = await Promise.all(
    Array.from({ length: 128 }, async (_, at) => {
      if (at >= 64) await Bun.sleep(1100);
      return stream(`${tag}-${at}`, true);
    }),
  );
  const tokens = results.filter(({ complete }) => complete).length * tokensOf("paced");
  return {
    firstTokenMs: median(results.map((result) => result.firstTokenMs)),
    tokensPerSecond: (tokens * 1000) / (performance.now() - startedAt),
    cpuUsPerToken: ((cpuMs(pid) - cpuBefore) * 1000) / tokens,
    wrong: results.filter(({ complete }) => !complete).length,
  };
}
