import { Command } from "commander";
import { type CommandCall, type Perform, readConfig } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";

export const configCommand = (perform: Perform) =>
  new Command("config")
    .description("print all effective settings and their sources, with secrets masked")
    .action((_options: object, command: Command) => perform(command, printConfig));

async function printConfig(call: CommandCall): Promise<ExitCode> {
  const { screen, shell } = call;
  const config = await readConfig(call);
  // One document, which is the error. On a terminal, a fault in one file hides no setting of the others.
  if (screen.json && config.fault !== undefined) throw config.fault;
  const settings = [...config.settings, ...(await shell.parts.providerRows(config))];
  if (screen.json) screen.document({ settings });
  else {
    screen.table(
      ["SETTING", "VALUE", "SOURCE", "NAME"],
      settings.map(({ key, value, source, name }) => [
        key,
        value,
        source === "default" ? paint("dim", source) : source,
        paint("dim", name),
      ]),
    );
  }
  if (config.fault !== undefined) throw config.fault;
  return exitCodes.ok;
}
