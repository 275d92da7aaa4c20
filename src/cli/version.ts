import { Command } from "commander";
import { version } from "../../package.json" with { type: "json" };
import type { Call, Perform } from "./call.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";

export const versionCommand = (perform: Perform) =>
  new Command("version")
    .description("print the version")
    .action((_options: object, command: Command) => perform(command, printVersion));

async function printVersion({ screen }: Call): Promise<ExitCode> {
  const about = { version, bun: Bun.version, platform: `${process.platform}-${process.arch}` };
  if (screen.json) screen.document(about);
  else screen.print(`argosy ${about.version} (bun ${about.bun}, ${about.platform})`);
  return exitCodes.ok;
}
