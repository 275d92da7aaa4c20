import { Command } from "commander";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";

export const licensesCommand = (perform: Perform) =>
  new Command("licenses")
    .description("print the licences of Argosy and of all software in this executable")
    .action((_options: object, command: Command) => perform(command, printLicenses));

async function printLicenses({ screen, shell }: CommandCall): Promise<ExitCode> {
  const text = await shell.parts.readLicenses();
  if (screen.json) screen.document({ text });
  else screen.write(`${text}\n`);
  return exitCodes.ok;
}
