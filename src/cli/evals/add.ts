import { resolve } from "node:path";
import { Command } from "commander";
import { type CommandCall, type Perform, withDaemon } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { counted } from "../terminal/table.ts";

interface AddOptions {
  fromTrace: string;
  to: string;
  id?: string;
  check: string[];
}

export const addCommand = (perform: Perform) =>
  new Command("add")
    .description("add a run as a case: its question, its answer, and its tool results as stubs")
    .requiredOption("--from-trace <id>", "id of the run's trace")
    .requiredOption("--to <file>", "the *.eval.yaml file; made if it does not exist")
    .option("--id <id>", "id of the case (`trace-` and the end of the trace's id)")
    .option(
      "--check <check>",
      "check of the answer, as YAML: 'contains: next day' (repeatable)",
      (check: string, earlier: string[]) => [...earlier, check],
      [],
    )
    .action((options: AddOptions, command: Command) => perform(command, (call) => add(call, options)));

async function add(call: CommandCall, { fromTrace, to, id, check }: AddOptions): Promise<ExitCode> {
  const { screen, shell } = call;
  const added = await withDaemon(call, {}, (client) =>
    shell.parts.addCaseFromTrace(client, {
      trace: fromTrace,
      path: resolve(shell.folder, to),
      shown: to,
      id,
      checks: check,
    }),
  );
  if (screen.json) screen.document(added);
  else {
    const where = added.created ? `to the new file ${added.file}` : `to ${added.file}`;
    screen.print(`added case ${added.case} ${where}, with ${counted(added.stubs, "stub")}`);
    screen.say(
      added.has_expected
        ? "`expected` is the answer of that run. Correct it if it is wrong."
        : "The answer of that run was judged bad, or is missing, so there is no `expected`. Write a good one.",
    );
  }
  return exitCodes.ok;
}
