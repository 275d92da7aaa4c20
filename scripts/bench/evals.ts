/**
 * Measures the CPU time of an eval against that of the same runs without one, on a model server that answers at once.
 *
 *   node_modules/.bin/bun scripts/bench/evals.ts [--cases 1000] [--concurrency 16] [--rounds 3] [--priced]
 *
 * With `--priced`, the model has a price. Each measurement is a process of its own with the daemon inside, after a warm-up. The rounds
 * alternate, and the smallest figure of each counts: everything else on the machine only adds.
 */
import { join } from "node:path";
import { reachDaemon } from "../../src/command/reach.ts";
import { loadConfig } from "../../src/compose/load-config.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { agentFile } from "../../tests/support/daemon.ts";
import { startModelServer } from "../../tests/support/model-server.ts";
import { readOptions } from "./options.ts";
import { temporaryWorkspace } from "./servers.ts";

/** `part` and `workspace` are set in the measured process: `bare` or `eval`, and its folder. */
const { cases, concurrency, rounds, priced, part, workspace } = readOptions({
  cases: 1000,
  concurrency: 16,
  rounds: 3,
  priced: false,
  part: "",
  workspace: "",
});
const warmUp = cases;
const question = (number: number) => `When do you open on day ${number}?`;

type Part = "bare" | "eval";

/** Runs one part in this process and returns its CPU time in ms. */
async function measure(part: Part): Promise<number> {
  const config = loadConfig({ workspace, data: join(workspace, `data-${process.pid}`) });
  const daemon = await reachDaemon(config, { log: silentLogger });
  const signal = new AbortController().signal;
  const bare = async (count: number, tag: string) => {
    let sent = 0;
    const worker = async () => {
      while (sent < count) {
        const number = sent++;
        const request = { query: question(number), session_id: `${tag}-${number}` };
        await daemon.client.run("helper", request, signal);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
  };
  const evaluate = async (name: string) => {
    const file = join(workspace, `${name}.eval.yaml`);
    const begun = await daemon.client.startEvalFileRun({ file, concurrency });
    for await (const _ of daemon.client.followEvalRun(begun.id));
    const { summary } = await daemon.client.getEvalRun(begun.id);
    if (summary.failed_runs > 0) throw new Error(`${summary.failed_runs} cases failed`);
  };
  await (part === "bare" ? bare(warmUp, "warm") : evaluate("warm"));
  const before = process.cpuUsage();
  await (part === "bare" ? bare(cases, "run") : evaluate("helper"));
  const { user, system } = process.cpuUsage(before);
  await daemon.close();
  return (user + system) / 1000;
}

if (part === "bare" || part === "eval") {
  console.log(await measure(part));
  process.exit(0);
}

const server = await startModelServer([
  { text: "Our shop opens at nine and closes at six, from Monday to Saturday." },
]);
const checks = [
  { contains: "nine" },
  { regex: "Mon|Tue" },
  { max_tokens: 1000 },
  { forbidden_tools: ["mail"] },
];
const evalFiles = (name: string, count: number) => ({
  [`${name}.jsonl`]: Array.from(
    { length: count },
    (_, number) => `${JSON.stringify({ id: `c${number}`, query: question(number) })}\n`,
  ).join(""),
  [`${name}.eval.yaml`]: {
    apiVersion: "platform/v1",
    kind: "Eval",
    metadata: { name },
    spec: { agent: "helper", checks, cases: `${name}.jsonl` },
  },
});
const prices = priced ? { prices: { "test-model": { in: 1, out: 2 } } } : {};
using folder = temporaryWorkspace({
  "agents/helper.agent.yaml": agentFile("helper"),
  "providers.yaml": {
    providers: { lab: { type: "openai", endpoint: server.url, api_key_env: "HOME", ...prices } },
  },
  ...evalFiles("helper", cases),
  ...evalFiles("warm", warmUp),
});

/** Measures a part in a process of its own. */
async function measured(part: Part): Promise<number> {
  const own = { part, workspace: folder.path, cases, concurrency };
  const args = Object.entries(own).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = Bun.spawn([process.execPath, import.meta.path, ...args], { stdout: "pipe" });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`The part ${part} failed.`);
  return Number(text);
}

const figures: Record<Part, number[]> = { bare: [], eval: [] };
for (let round = 0; round < rounds; round++)
  for (const part of ["bare", "eval"] as const) figures[part].push(await measured(part));
for (const [part, ms] of Object.entries(figures))
  console.log(
    `${part}  ${(Math.min(...ms) / cases).toFixed(3)} ms of CPU a run  (${ms.map(Math.round).join(", ")} ms)`,
  );
const ratio = Math.min(...figures.eval) / Math.min(...figures.bare);
console.log(`ratio ${ratio.toFixed(2)} (at most 1.3)`);
await server.stop();
process.exit(ratio <= 1.3 ? 0 : 1);
