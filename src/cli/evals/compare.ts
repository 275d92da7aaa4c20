import { Command } from "commander";
import { type Perform, readConfig } from "../call.ts";
import { exitCodes } from "../exit-codes.ts";

export const compareCommand = (perform: Perform) =>
  new Command("compare")
    .description("compare two runs case by case, regressions first")
    .argument("<before>", "id of the earlier run")
    .argument("<after>", "id of the later run, or `last`")
    .action((before: string, after: string, _options: object, command: Command) =>
      perform(command, async (call) => {
        const { parts } = call.shell;
        const config = await readConfig(call);
        const first = await parts.readEvalRun(config, before);
        const second = await parts.readEvalRun(config, after, first.run.eval);
        const comparison = await parts.compareEvalRuns(first, second);
        if (call.screen.json) call.screen.document(comparison);
        else (await import("./print-comparison.ts")).printComparison(call.screen, comparison);
        return comparison.counts.regressed === 0 ? exitCodes.ok : exitCodes.failed;
      }),
    );
