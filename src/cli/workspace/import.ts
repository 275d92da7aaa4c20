import { resolve } from "node:path";
import { Command } from "commander";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";
import { problemLine } from "../terminal/report-error.ts";

export const importCommand = (perform: Perform) =>
  new Command("import")
    .description("convert a manifest from another format, and list what was changed or left out")
    .argument(
      "<file>",
      "an agent, pipeline, providers.yaml or runtime.yaml in YAML or JSON, an app of Dify, a chatflow of Flowise",
    )
    .option("--write", "overwrite the file (default: print the result)")
    .action((file: string, { write = false }: { write?: boolean }, command: Command) =>
      perform(command, (call) => importFile(call, file, write)),
    );

async function importFile(call: CommandCall, file: string, write: boolean): Promise<ExitCode> {
  const { shell, screen, options } = call;
  const flags = options.workspace === undefined ? {} : { workspace: options.workspace };
  const imported = await shell.parts.importManifest(flags, resolve(shell.folder, file), { write });
  const { kind, text, changes, leftOut, problems, written } = imported;
  const valid = problems.length === 0;
  if (screen.json) {
    screen.document({ file, kind, valid, written, changes, left_out: leftOut, problems, text });
    return valid ? exitCodes.ok : exitCodes.failed;
  }
  if (!write) screen.write(text);
  for (const { path, message } of changes) screen.say(paint("green", "changed  "), ` ${path} ${message}`);
  for (const { path, message } of leftOut) screen.say(paint("yellow", "left out "), ` ${path} ${message}`);
  for (const problem of problems) screen.say(paint("red", "to fix   "), ` ${problemLine(problem, file)}`);
  const nothing = changes.length === 0 && leftOut.length === 0;
  screen.say(
    `${nothing ? "nothing to change" : `${changes.length} changed, ${leftOut.length} left out`}, ${problems.length} to fix${written ? `; ${file} is rewritten` : ""}`,
  );
  return valid ? exitCodes.ok : exitCodes.failed;
}
