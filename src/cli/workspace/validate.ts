import { resolve } from "node:path";
import { Command } from "commander";
import type { ValidatedFile } from "../../command/validate.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";
import { problemLine } from "../terminal/report-error.ts";
import type { Screen } from "../terminal/screen.ts";

export const validateCommand = (perform: Perform) =>
  new Command("validate")
    .description("check agents, pipelines and configuration files")
    .argument("[paths...]", "files and folders (default: the whole workspace)")
    .action((paths: string[], _options: object, command: Command) =>
      perform(command, (call) => validate(call, paths)),
    );

async function validate(call: CommandCall, paths: readonly string[]): Promise<ExitCode> {
  const { shell, screen, options } = call;
  const files = await shell.parts.validate(
    {
      ...(options.workspace === undefined ? {} : { workspace: options.workspace }),
      ...(options.data === undefined ? {} : { data: options.data }),
    },
    paths.map((path) => resolve(shell.folder, path)),
  );
  const faulty = files.filter(({ problems }) => problems.length > 0);
  if (screen.json) screen.document({ valid: faulty.length === 0, files });
  else {
    for (const file of files) printFile(screen, file);
    screen.say(
      faulty.length === 0
        ? `${files.length} ${files.length === 1 ? "file is" : "files are"} valid`
        : `${faulty.length} of ${files.length} files can't be used`,
    );
  }
  return faulty.length === 0 ? exitCodes.ok : exitCodes.failed;
}

/** Prints a file's result: faults as data, the rest as messages. */
function printFile(
  screen: Screen,
  { file, kind, problems, variables, default_model: model }: ValidatedFile,
): void {
  for (const problem of problems) screen.print(problemLine(problem, file));
  const reads = variables.map(({ name, isSet }) => (isSet ? name : `${name} (not set)`)).join(", ");
  const mark = problems.length === 0 ? paint("green", "✓") : paint("red", "✗");
  const notes = [
    ...(reads === "" ? [] : [`reads ${reads}`]),
    ...(model === undefined ? [] : [`runs on ${model}`]),
    ...(kind === "channels" ? ["a running server reads it at its next start"] : []),
    ...(kind === "runtime"
      ? ["a running server reads `model_defaults` and `defaults` again, the rest at its next start"]
      : []),
  ];
  screen.say(mark, ` ${file}`, paint("dim", notes.map((note) => `  ${note}`).join("")));
}
