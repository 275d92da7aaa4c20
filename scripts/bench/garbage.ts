/**
 * Measures what one run leaves for the collector (objects, promises, and the most frequent types) and the processor's time that it takes.
 *
 *   node_modules/.bin/bun scripts/bench/garbage.ts [--runs 100] [--agent tool] [--stream] [--together 1] [--types 12]
 *
 * The daemon runs in this process from source; the model and the caller have processes of their own. Prints the median of nine rounds. Take
 * few runs: a collection during a round hides objects. For tokens: `--agent paced --stream --together 64 --runs 64 --warm 256`.
 */
import { heapStats } from "bun:jsc";
import { join } from "node:path";
import { loadConfig } from "../../src/compose/load-config.ts";
import { startArgosy } from "../../src/compose/start.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { createLogger } from "../../src/kit/log.ts";
import { LogRing } from "../../src/kit/log-ring.ts";
import { median } from "./figures.ts";
import { readOptions } from "./options.ts";
import { startModel, temporaryWorkspace } from "./servers.ts";
import { portVariables, question, writeWorkspace } from "./workload.ts";

const options = readOptions({
  runs: 100,
  agent: "tool",
  stream: false,
  types: 12,
  rounds: 9,
  warm: 2000,
  together: 1,
  call: "",
});

if (options.call === "") await measure();
else await ask(options.call);
process.exit(0);

/** The caller: sends as many runs as each line of its input says. */
async function ask(url: string): Promise<void> {
  let session = 0;
  const accept: Record<string, string> = options.stream ? { accept: "text/event-stream" } : {};
  for await (const line of console) {
    let left = Number(line);
    const inTurn = async () => {
      while (left-- > 0) {
        const body = JSON.stringify({
          query: question,
          session_id: `s${session++ % Math.max(16, options.together)}`,
        });
        const headers = { "content-type": "application/json", ...accept };
        const response = await fetch(url, { method: "POST", headers, body });
        const text = await response.text();
        if (!response.ok) throw new Error(text);
      }
    };
    await Promise.all(Array.from({ length: options.together }, inTurn));
    console.log("done");
  }
}

async function measure(): Promise<void> {
  await using _model = await startModel();
  using folder = temporaryWorkspace();
  writeWorkspace(folder.path);
  Object.assign(process.env, portVariables, { BENCH_MODEL_KEY: "key" });
  const config = loadConfig({ workspace: folder.path, services: "daemon", port: "0" });
  const log = createLogger({
    level: "warning",
    format: "json",
    write() {},
    secrets: config.knownSecrets,
    clock: systemClock,
  });
  const argosy = await startArgosy(config, { log, ring: new LogRing(), clock: systemClock });
  const url = `${argosy.services[0]?.url}/v1/agents/${options.agent}/run`;
  const caller = Bun.spawn(
    [
      process.execPath,
      join(import.meta.dir, "garbage.ts"),
      "--call",
      url,
      "--together",
      String(options.together),
      ...(options.stream ? ["--stream"] : []),
    ],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const answers = caller.stdout.getReader();
  const send = async (runs: number) => {
    caller.stdin.write(`${runs}\n`);
    caller.stdin.flush();
    await answers.read();
  };
  await send(options.warm);
  const rounds: { objects: number; cpuUs: number; types: Record<string, number> }[] = [];
  for (let round = 0; round < options.rounds; round++) {
    Bun.gc(true);
    const before = heapStats();
    const cpu = process.cpuUsage();
    await send(options.runs);
    const { user, system } = process.cpuUsage(cpu);
    const after = heapStats();
    const types: Record<string, number> = {};
    for (const [type, count] of Object.entries(after.objectTypeCounts))
      types[type] = (count - (before.objectTypeCounts[type] ?? 0)) / options.runs;
    rounds.push({
      objects: Object.values(types).reduce((sum, count) => sum + count, 0),
      cpuUs: (user + system) / options.runs,
      types,
    });
  }
  const typical = (of: (round: (typeof rounds)[number]) => number) => Math.round(median(rounds.map(of)));
  console.log(
    `a run leaves ${typical(({ objects }) => objects)} objects, ${typical(({ types }) => types.Promise ?? 0)} promises; ${typical(({ cpuUs }) => cpuUs)} µs of processor time`,
  );
  const names = Object.keys(rounds[0]?.types ?? {}).map(
    (type) => [type, typical(({ types }) => types[type] ?? 0)] as const,
  );
  for (const [type, count] of names.sort((a, b) => b[1] - a[1]).slice(0, options.types))
    console.log(`  ${count} ${type}`);
  caller.kill();
  await argosy.stop();
}
