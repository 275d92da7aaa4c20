import { basename, relative, resolve } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import type { EvalRunOrder } from "../../contracts/daemon/evals/eval-runs.ts";
import type { EvalRun } from "../../contracts/evals/eval-run.ts";
import { AppError, toAppError } from "../../kit/app-error.ts";
import { type CommandCall, type Perform, readConfig, withDaemon } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { gather, modelName, wholeNumber } from "../option-values.ts";
import { createProgress } from "../rag/progress.ts";
import { paint } from "../terminal/paint.ts";
import { usageError } from "../terminal/report-error.ts";
import { addCommand } from "./add.ts";
import { canaryCommand } from "./canary.ts";
import { compareCommand } from "./compare.ts";
import { releaseCommand } from "./release.ts";
import { runsCommand } from "./runs.ts";
import { type OrderOptions, readEvalRun, runEvalFile } from "./stored-runs.ts";

/** Options of `argosy eval`. */
interface EvalOptions {
  agent?: string;
  model?: string[];
  variant?: string[];
  judge?: string;
  tag?: string[];
  repeat?: number;
  concurrency?: number;
  budget?: number;
  record?: boolean;
  replay?: boolean;
  resume?: string | true;
  compare?: string;
  junit?: string;
  html?: string;
  candidate?: boolean;
  rehearse?: boolean;
}

export const evalCommand = (perform: Perform) => {
  const command = new Command("eval")
    .description("run evals: ask agents the cases of *.eval.yaml files and check the answers")
    .argument("[files...]", "*.eval.yaml files (all in evals/ of the workspace)")
    .option("--agent <name>", "ask this agent instead of the file's")
    .option("--model <models>", "compare models: provider/model,provider/model", models)
    .option("--variant <prompt-file>", "compare with this system prompt; repeatable", gather)
    .option("--judge <provider/model>", "model of judges that name none themselves", modelName)
    .option("--tag <tag>", "run only cases with this tag; repeatable", gather)
    .option("--repeat <times>", "run each case this many times", wholeNumber(100))
    .option("--concurrency <cases>", "number of cases at the same time", wholeNumber(64))
    .option("--budget <usd>", "start no further case once this much is spent", dollars)
    .addOption(new Option("--record", "keep a recording of each case beside the file").conflicts("replay"))
    .addOption(new Option("--replay", "answer from the recordings; call no model and no tool"))
    .addOption(
      new Option("--candidate", "ask the newest version, even if its release gate refuses it").conflicts([
        "model",
        "variant",
        "tag",
        "record",
        "replay",
      ]),
    )
    .option("--resume [run]", "continue an interrupted run (the newest of the eval)")
    .option("--compare <run>", "compare with an earlier run (`last`: the one before)")
    .option("--junit <file>", "write the results as JUnit XML")
    .option("--html <file>", "write the results as one HTML page")
    .option("--rehearse", "answer with the built-in stand-in: no key, no model, simulated answers")
    .action((files: string[], options: EvalOptions, self: Command) =>
      perform(self, (call) => runEvals(call, files, options)),
    );
  for (const define of [compareCommand, runsCommand, addCommand, releaseCommand, canaryCommand])
    command.addCommand(define(perform));
  return command;
};

function models(text: string): string[] {
  const named = text.split(",").map((name) => modelName(name.trim()));
  if (new Set(named).size < named.length) throw new InvalidArgumentError("Each model may be named once.");
  return named;
}

function dollars(text: string): number {
  if (/^\d{1,6}(\.\d{1,6})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be an amount in US dollars, such as 0.50.");
}

async function runEvals(call: CommandCall, files: string[], options: EvalOptions): Promise<ExitCode> {
  const { shell, screen, signal } = call;
  const { parts, folder } = shell;
  const config = await readConfig(call, options.rehearse === true ? { rehearse: true } : {});
  const paths =
    files.length > 0 ? files.map((file) => resolve(folder, file)) : await parts.evalFiles(config.workspace);
  if (paths.length === 0) {
    throw usageError(
      `There is no eval in ${config.workspace}/evals.`,
      "Name an *.eval.yaml file, or make one from a trace with `argosy eval add`.",
    );
  }
  for (const report of [options.junit, options.html])
    if (report !== undefined) await parts.requireWritable(resolve(folder, report));
  const variants = options.variant && (await readVariants(call, options.variant));
  const loading = { judgeModel: options.judge, variants };
  // Faults of any file are reported before anything runs.
  const evals: { path: string; loaded: Awaited<ReturnType<typeof parts.readEval>> }[] = [];
  const refusals: AppError[] = [];
  for (const path of paths) {
    const displayPath = relative(folder, path).startsWith("..") ? path : relative(folder, path);
    try {
      evals.push({ path, loaded: await parts.readEval(path, displayPath, loading) });
    } catch (thrown) {
      refusals.push(toAppError(thrown));
    }
  }
  requireNone(refusals);
  const runs: EvalRun[] = [];
  const comparisons: Awaited<ReturnType<typeof parts.compareEvalRuns>>[] = [];
  const progress = createProgress(call);
  await withDaemon(
    call,
    { runsAgents: true, ...(options.rehearse === true && { rehearse: true }) },
    async (client) => {
      for (const { path, loaded } of evals) {
        const { name } = loaded;
        // Read before the new run becomes the newest.
        const before =
          options.compare === undefined ? undefined : await readEvalRun(client, options.compare, name);
        const run = await runEvalFile(client, { path, name }, orderOf(options, variants), {
          signal,
          onProgress: ({ finished, planned, failed }) =>
            progress.show(finished, planned, failed === 0 ? name : `${name}, ${failed} failed`),
        });
        progress.clear();
        runs.push(run);
        if (before !== undefined) comparisons.push(await parts.compareEvalRuns(before, run));
        if (signal.aborted) break;
      }
    },
  ).finally(() => progress.clear());
  if (options.junit !== undefined) await parts.writeEvalReport("junit", resolve(folder, options.junit), runs);
  if (options.html !== undefined) await parts.writeEvalReport("html", resolve(folder, options.html), runs);
  const { printRun } = await import("./print-run.ts");
  const { printComparison } = await import("./print-comparison.ts");
  if (screen.json) {
    screen.document({ runs, ...(options.compare !== undefined && { comparisons }) });
  } else {
    for (const run of runs) printRun(screen, run);
    for (const comparison of comparisons) printComparison(screen, comparison);
  }
  if (options.html !== undefined) screen.say(paint("dim", `report ${options.html}`));
  if (signal.aborted) return exitCodes.interrupted;
  const isGood = runs.every(({ summary }) => summary.failed_runs === 0 && summary.ending === "complete");
  return isGood ? exitCodes.ok : exitCodes.failed;
}

function orderOf(options: EvalOptions, variants: EvalRunOrder["variants"]): OrderOptions {
  return {
    agent: options.agent,
    models: options.model,
    variants,
    judge: options.judge,
    tags: options.tag,
    repeat: options.repeat,
    concurrency: options.concurrency,
    budget_usd: options.budget,
    candidate: options.candidate,
    mode: options.record ? "record" : options.replay ? "replay" : undefined,
    resume: options.resume === true ? "last" : options.resume,
  };
}

/** Throws the refusal of a file, or one with those of several files. */
function requireNone([first, ...more]: readonly AppError[]): void {
  if (first === undefined) return;
  if (more.length === 0 || first.kind === "internal") throw first;
  const problems = [first, ...more].map(({ message }) => ({ path: "", message }));
  throw new AppError(first.kind, first.code, `${problems.length} evals can't be used: ${first.message}`, {
    details: { problems },
  });
}

async function readVariants(
  { shell }: CommandCall,
  files: readonly string[],
): Promise<{ name: string; prompt: string }[]> {
  const variants = await Promise.all(
    files.map(async (file) => ({
      name: basename(file).replace(/\.[^.]+$/, ""),
      prompt: await shell.parts.readEvalText(resolve(shell.folder, file)),
    })),
  );
  if (new Set(variants.map(({ name }) => name)).size < variants.length)
    throw usageError("Two variants have the same file name, so reports couldn't tell them apart.");
  return variants;
}
