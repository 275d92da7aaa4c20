import { resolve } from "node:path";
import { Command } from "commander";
import { allPages, type CommandCall, type Perform, withDaemon } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { readEvalRun } from "./stored-runs.ts";

interface RunsOptions {
  junit?: string;
  html?: string;
}

export const runsCommand = (perform: Perform) =>
  new Command("runs")
    .description("list stored runs, or show one again")
    .argument("[run]", "id of a run, or `last`")
    .option("--junit <file>", "write the run's results as JUnit XML")
    .option("--html <file>", "write the run's results as one HTML page")
    .action((id: string | undefined, options: RunsOptions, command: Command) =>
      perform(command, (call) => (id === undefined ? list(call) : show(call, id, options))),
    );

async function list(call: CommandCall): Promise<ExitCode> {
  const { screen } = call;
  const runs = await withDaemon(call, {}, (client) =>
    allPages(async (cursor) => {
      const page = await client.listEvalRuns({ limit: 100, ...(cursor !== undefined && { cursor }) });
      return { items: page.runs, next: page.next_cursor };
    }),
  );
  if (screen.json) screen.document({ runs });
  else if (runs.length === 0) screen.say("There are no runs yet; `argosy eval` makes one.");
  else {
    screen.table(
      ["RUN", "EVAL", "AGENT", "MODE", "CASES", "TARGETS"],
      runs.map((run) => [
        run.id,
        run.eval,
        run.agent,
        run.mode,
        `${run.cases} × ${run.repeat}`,
        run.targets.join(", "),
      ]),
    );
  }
  return exitCodes.ok;
}

async function show(call: CommandCall, id: string, { junit, html }: RunsOptions): Promise<ExitCode> {
  const { screen, shell } = call;
  const run = await withDaemon(call, {}, (client) => readEvalRun(client, id));
  for (const [format, file] of [["junit", junit] as const, ["html", html] as const]) {
    if (file === undefined) continue;
    const path = resolve(shell.folder, file);
    await shell.parts.requireWritable(path);
    await shell.parts.writeEvalReport(format, path, [run]);
  }
  if (screen.json) screen.document(run);
  else (await import("./print-run.ts")).printRun(screen, run);
  return exitCodes.ok;
}
