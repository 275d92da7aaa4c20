import { Command } from "commander";
import { type Perform, withDaemon } from "../call.ts";
import { exitCodes } from "../exit-codes.ts";
import { readEvalRun } from "./stored-runs.ts";

export const compareCommand = (perform: Perform) =>
  new Command("compare")
    .description("compare two runs case by case, regressions first")
    .argument("<before>", "id of the earlier run")
    .argument("<after>", "id of the later run, or `last`")
    .action((before: string, after: string, _options: object, command: Command) =>
      perform(command, async (call) => {
        const comparison = await withDaemon(call, {}, async (client) => {
          const first = await readEvalRun(client, before);
          const second = await readEvalRun(client, after, first.run.eval);
          return call.shell.parts.compareEvalRuns(first, second);
        });
        if (call.screen.json) call.screen.document(comparison);
        else (await import("./print-comparison.ts")).printComparison(call.screen, comparison);
        return comparison.counts.regressed === 0 ? exitCodes.ok : exitCodes.failed;
      }),
    );
