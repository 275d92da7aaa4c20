/**
 * Measures the CPU time of an eval against that of the same runs without one, on a model server that answers at once.
 *
 *   node_modules/.bin/bun scripts/bench/evals.ts [--cases 1000] [--concurrency 16] [--rounds 3] [--priced]
 *
 * With `--priced`, the model has a price. Each measurement is a process of its own with the daemon inside, after a warm-up. The rounds alternate, and the smallest figure of each
 * counts: everything else on the machine only adds.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { reachDaemon } from "../../src/command/reach.ts";
import { childCommand } from "../../src/compose/child-command.ts";
import { loadConfig } from "../../src/compose/load-config.ts";
import { readEval } from "../../src/evals/files/read-eval-file.ts";
import { runEval } from "../../src/evals/files/run-eval.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { agentFile } from "../../tests/support/daemon.ts";
import { startModelServer } from "../../tests/support/model-server.ts";
import { temporaryFolder } from "../../tests/support/temp-folder.ts";

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "1000" },
    concurrency: { type: "string", default: "16" },
    rounds: { type: "string", default: "3" },
    priced: { type: "boolean", default: false },
    /** Set in the measured process: `bare` or `eval`, and its workspace. */
    part: { type: "string" },
    workspace: { type: "string" },
  },
});
const cases = Number(values.cases);
const concurrency = Number(values.concurrency);
const warmUp = 1000;
const question = (number: number) => `When do you open on day ${number}?`;

type Part = "bare" | "eval";

/** Runs one part in this process and returns its CPU time in ms. */
async function measure(part: Part, workspace: string): Promise<number> {
  const config = loadConfig({ workspace, data: join(workspace, `data-${process.pid}`) });
  const daemon = await reachDaemon(config, { log: silentLogger });
  const signal = new AbortController().signal;
  const bare = async (count: number, tag: string) => {
    let sent = 0;
    const worker = async () => {
      while (sent < count) {
        const number = sent++;
        await daemon.client.run(
          "helper",
          { query: question(number), session_id: `${tag}-${number}` },
          signal,
        );
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
  };
  const evaluate = async (file: string) => {
    const loaded = await readEval(file, file, {});
    const choices = { mode: "live", concurrency } as const;
    const { summary } = await runEval(file, loaded, {
      client: daemon.client,
      config,
      choices,
      templateCommand: childCommand("template-child"),
      random: Math.random,
      signal,
    });
    if (summary.failed_runs > 0) throw new Error(`${summary.failed_runs} cases failed`);
  };
  if (part === "bare") await bare(warmUp, "warm");
  else await evaluate(join(workspace, "warm.eval.yaml"));
  const before = process.cpuUsage();
  if (part === "bare") await bare(cases, "run");
  else await evaluate(join(workspace, "helper.eval.yaml"));
  const { user, system } = process.cpuUsage(before);
  await daemon.close();
  return (user + system) / 1000;
}

/** Starts the measured process. */
async function measured(part: Part, workspace: string): Promise<number> {
  const args = [
    "--part",
    part,
    "--workspace",
    workspace,
    "--cases",
    String(cases),
    "--concurrency",
    String(concurrency),
  ];
  const child = Bun.spawn([process.execPath, import.meta.path, ...args], { stdout: "pipe" });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`The part ${part} failed.`);
  return Number(text);
}

function writeWorkspace(folder: string, url: string): void {
  mkdirSync(join(folder, "agents"));
  writeFileSync(join(folder, "agents/helper.agent.yaml"), agentFile("helper"));
  const prices = values.priced ? { prices: { "test-model": { in: 1, out: 2 } } } : {};
  writeFileSync(
    join(folder, "providers.yaml"),
    JSON.stringify({ providers: { lab: { type: "openai", endpoint: url, api_key_env: "HOME", ...prices } } }),
  );
  const checks = [
    { contains: "nine" },
    { regex: "Mon|Tue" },
    { max_tokens: 1000 },
    { forbidden_tools: ["mail"] },
  ];
  for (const [name, count] of [
    ["helper", cases],
    ["warm", warmUp],
  ] as const) {
    const rows = Array.from({ length: count }, (_, number) =>
      JSON.stringify({ id: `c${number}`, query: question(number) }),
    );
    writeFileSync(join(folder, `${name}.jsonl`), `${rows.join("\n")}\n`);
    const spec = { agent: "helper", checks, cases: `${name}.jsonl` };
    writeFileSync(
      join(folder, `${name}.eval.yaml`),
      JSON.stringify({ apiVersion: "platform/v1", kind: "Eval", metadata: { name }, spec }),
    );
  }
}

if (values.part === "bare" || values.part === "eval") {
  console.log(await measure(values.part, values.workspace ?? ""));
  process.exit(0);
}

const answer = "Our shop opens at nine and closes at six, from Monday to Saturday.";
const server = await startModelServer([{ text: answer }]);
using folder = temporaryFolder();
writeWorkspace(folder.path, server.url);
const figures: Record<Part, number[]> = { bare: [], eval: [] };
for (let round = 0; round < Number(values.rounds); round++)
  for (const part of ["bare", "eval"] as const) figures[part].push(await measured(part, folder.path));
const [bare, evaluated] = [Math.min(...figures.bare), Math.min(...figures.eval)];
console.log(
  `bare runs  ${(bare / cases).toFixed(3)} ms of CPU each  (${figures.bare.map(Math.round).join(", ")} ms)`,
);
console.log(
  `eval       ${(evaluated / cases).toFixed(3)} ms of CPU each  (${figures.eval.map(Math.round).join(", ")} ms)`,
);
console.log(`ratio      ${(evaluated / bare).toFixed(2)}  (at most 1.3)`);
await server.stop();
process.exitCode = evaluated / bare <= 1.3 ? 0 : 1;
