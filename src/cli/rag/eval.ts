import { resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import type { EvalResult, QueryMode } from "../../command/rag-eval.ts";
import type { RagEvalFile } from "../../manifest/files/rag-eval-file.ts";
import { type CommandCall, type Perform, withDaemon } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { part } from "../option-values.ts";
import { paint } from "../terminal/paint.ts";
import type { Screen } from "../terminal/screen.ts";
import { counted } from "../terminal/table.ts";
import { createProgress } from "./progress.ts";
import { searchModes } from "./query.ts";

interface EvalCommandOptions {
  compare?: QueryMode[];
  minRecall?: number;
  verbose?: boolean;
}

export const evalCommand = (perform: Perform) =>
  new Command("eval")
    .description("measure retrieval quality against a golden set")
    .argument("<cases>", "a golden set, *.rag-eval.yaml")
    .option("--compare <modes>", "compare search modes: hybrid,vector,text", modes)
    .option(
      "--min-recall <part>",
      "fail if recall is lower (for CI); with several modes, the first one counts",
      part,
    )
    .option("--verbose", "list the cases with missing passages")
    .action((file: string, options: EvalCommandOptions, command: Command) =>
      perform(command, (call) => evaluate(call, file, options)),
    );

function modes(text: string): QueryMode[] {
  const named = text.split(",").map((mode) => mode.trim());
  const known = named.filter((mode): mode is QueryMode => searchModes.some((other) => other === mode));
  if (known.length === named.length && new Set(known).size === known.length) return known;
  throw new InvalidArgumentError(`It must be some of ${searchModes.join(",")}, each once.`);
}

async function evaluate(call: CommandCall, file: string, options: EvalCommandOptions): Promise<ExitCode> {
  const { screen, shell } = call;
  const set = await shell.parts.readGoldenSet(resolve(shell.folder, file), file);
  const results = await withDaemon(call, {}, (client) =>
    measure(call, client, set, options.compare ?? [undefined]),
  );
  const { pipeline, collection, k } = set;
  if (screen.json) {
    screen.document({ ...(pipeline && { pipeline }), ...(collection && { collection }), k, results });
  } else print(screen, set, results, options.verbose === true);
  const [first] = results;
  if (options.minRecall === undefined || first === undefined || first.recall >= options.minRecall) {
    return exitCodes.ok;
  }
  screen.say(
    paint("red", "failed:"),
    ` recall is ${first.recall.toFixed(3)}, less than ${options.minRecall}.`,
  );
  return exitCodes.failed;
}

async function measure(
  call: CommandCall,
  client: Parameters<Parameters<typeof withDaemon>[2]>[0],
  set: RagEvalFile,
  compared: readonly (QueryMode | undefined)[],
): Promise<EvalResult[]> {
  const progress = createProgress(call);
  const total = compared.length * set.cases.length;
  let done = 0;
  const results: EvalResult[] = [];
  try {
    for (const mode of compared) {
      const onCase = () => progress.show(++done, total, mode ?? "");
      results.push(
        await call.shell.parts.evaluateRetrieval(client, set, { mode, signal: call.signal, onCase }),
      );
    }
  } finally {
    progress.clear();
  }
  return results;
}

function print(screen: Screen, set: RagEvalFile, results: readonly EvalResult[], verbose: boolean): void {
  const { k } = set;
  screen.table(
    ["MODE", `RECALL@${k}`, "MRR", `NDCG@${k}`, "CASES WITH MISSES"],
    results.map(({ mode, recall, mrr, ndcg, cases }) => [
      paint("bold", mode),
      recall.toFixed(3),
      mrr.toFixed(3),
      ndcg.toFixed(3),
      `${cases.filter(({ missed }) => missed.length > 0).length} of ${cases.length}`,
    ]),
  );
  if (verbose) for (const result of results) printMisses(screen, result, results.length > 1);
  else
    screen.say(
      `${counted(set.cases.length, "case")} of ${set.pipeline ?? set.collection}; --verbose lists misses.`,
    );
}

function printMisses(screen: Screen, { mode, cases }: EvalResult, isOneOfMany: boolean): void {
  for (const { query, missed, found } of cases) {
    if (missed.length === 0) continue;
    screen.print("");
    screen.print(paint("yellow", "missed"), isOneOfMany ? ` (${mode})` : "", `  ${query}`);
    for (const { document, contains } of missed) {
      screen.print(`  expected  ${document}${contains === undefined ? "" : `: ${contains}`}`);
    }
    screen.print(paint("dim", `  found     ${found.length === 0 ? "nothing" : found.join(", ")}`));
  }
}
