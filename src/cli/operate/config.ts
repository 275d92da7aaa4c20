import { Command } from "commander";
import { type Call, loadConfig, type Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";

export const configCommand = (perform: Perform) =>
  new Command("config")
    .description("print all effective settings and their sources, with secrets masked")
    .action((_options: object, command: Command) => perform(command, printConfig));

async function printConfig(call: Call): Promise<ExitCode> {
  const { screen, shell } = call;
  const config = await loadConfig(call);
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
  return exitCodes.ok;
}
