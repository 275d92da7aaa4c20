/**
 * Compares two ways to commit the turns of runs to SQLite, group by group: on the main thread, and in a Worker that takes each group as one
 * message.
 *
 *   node_modules/.bin/bun scripts/bench/commit-worker.ts [--lanes 16] [--appends 20000] [--rounds 5]
 *
 * Prints medians: CPU of the whole process per append, the time until an append is on disk, and the longest stall of the event loop.
 */
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { answerText, question } from "./workload.ts";

type Turn = [session: string, role: string, content: string, at: number];
type Append = Turn[];
type Commit = (group: Append[]) => Promise<void>;

/** Opens the database and returns the function that commits one group. */
function openWriter(file: string): (group: readonly Append[]) => void {
  const database = new Database(file);
  database.run("PRAGMA journal_mode = WAL");
  database.run("PRAGMA synchronous = FULL");
  database.run(
    "CREATE TABLE IF NOT EXISTS turn (id INTEGER PRIMARY KEY, session TEXT, role TEXT, content TEXT, at INTEGER)",
  );
  const insert = database.prepare("INSERT INTO turn (session, role, content, at) VALUES (?, ?, ?, ?)");
  return database.transaction((group: readonly Append[]) => {
    for (const turns of group) for (const turn of turns) insert.run(...turn);
  });
}

if (!Bun.isMainThread) {
  const write = openWriter(join(process.env.BENCH_FOLDER ?? "", "worker.db"));
  self.onmessage = ({ data }: MessageEvent<Append[]>) => {
    write(data);
    postMessage(0);
  };
} else await compare();

async function compare(): Promise<void> {
  const { values } = parseArgs({
    options: {
      lanes: { type: "string", default: "16" },
      appends: { type: "string", default: "20000" },
      rounds: { type: "string", default: "5" },
    },
  });
  const folder = mkdtempSync(join(tmpdir(), "argosy-commit-"));
  const writeHere = openWriter(join(folder, "main.db"));
  const worker = new Worker(import.meta.path, { env: { ...process.env, BENCH_FOLDER: folder } });
  const ways: Record<string, Commit> = {
    "main thread": async (group) => writeHere(group),
    Worker: (group) =>
      new Promise((resolve) => {
        worker.onmessage = () => resolve();
        worker.postMessage(group);
      }),
  };
  console.log("| commits by | CPU, µs/append | on disk after, p50, ms | longest stall, ms |");
  console.log("| --- | ---: | ---: | ---: |");
  const figures = new Map<string, number[][]>();
  for (let round = 0; round <= Number(values.rounds); round++)
    for (const [name, commit] of Object.entries(ways)) {
      const measured = await measure(commit, Number(values.lanes), Number(values.appends));
      // The first round is a warm-up.
      if (round > 0) figures.set(name, [...(figures.get(name) ?? []), measured]);
    }
  for (const [name, rounds] of figures) {
    const medians = [0, 1, 2].map((at) => median(rounds.map((round) => round[at] ?? Number.NaN)));
    console.log(`| ${name} | ${medians.map((figure) => figure.toFixed(2)).join(" | ")} |`);
  }
  worker.terminate();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(commit: Commit, lanes: number, appends: number): Promise<number[]> {
  const latencies: number[] = [];
  let waiting: { append: Append; done: () => void }[] = [];
  let committing = false;
  const drain = async () => {
    committing = true;
    while (waiting.length > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      const group = waiting;
      waiting = [];
      await commit(group.map(({ append }) => append));
      for (const { done } of group) done();
    }
    committing = false;
  };
  let stalled = 0;
  let ticked = performance.now();
  const ticker = setInterval(() => {
    stalled = Math.max(stalled, performance.now() - ticked - 1);
    ticked = performance.now();
  }, 1);
  const before = process.cpuUsage();
  let left = appends;
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      while (left-- > 0) {
        const at = performance.now();
        await new Promise<void>((done) => {
          const session = `s${lane}`;
          const append: Append = [
            [session, "user", question, left],
            [session, "assistant", answerText(64), left],
          ];
          waiting.push({ append, done });
          if (!committing) void drain();
        });
        latencies.push(performance.now() - at);
        // Another run's work between two appends of a lane.
        await new Promise((resolve) => setImmediate(resolve));
      }
    }),
  );
  const { user, system } = process.cpuUsage(before);
  clearInterval(ticker);
  return [(user + system) / appends, median(latencies), stalled];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
