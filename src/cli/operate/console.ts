import { Command } from "commander";
import { type CommandCall, type Perform, readConfig } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";

export const consoleCommand = (perform: Perform) =>
  new Command("console")
    .description("print a link to the web console of the running server; it works once, within ten minutes")
    .action((_: object, command: Command) => perform(command, printLink));

async function printLink(call: CommandCall): Promise<ExitCode> {
  const { shell, screen } = call;
  const link = await shell.parts.consoleLink(await readConfig(call));
  if (screen.json) screen.document(link);
  else screen.print(link.url);
  return exitCodes.ok;
}
