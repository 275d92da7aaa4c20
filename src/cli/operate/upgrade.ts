import { Command } from "commander";
import { version } from "../../../package.json" with { type: "json" };
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";

interface UpgradeOptions {
  check?: boolean;
}

export const upgradeCommand = (perform: Perform) =>
  new Command("upgrade")
    .description("replace this executable by the latest release, if it is newer and rightly signed")
    .option("--check", "only look for a newer version")
    .action((options: UpgradeOptions, command: Command) =>
      perform(command, (call) => upgrade(call, options.check === true)),
    );

async function upgrade({ shell, screen }: CommandCall, checkOnly: boolean): Promise<ExitCode> {
  const newerVersion = await shell.parts.upgradeProgram({ version, checkOnly });
  if (screen.json) {
    screen.document(newerVersion);
    return exitCodes.ok;
  }
  if (newerVersion.upgraded) {
    screen.say(
      paint("green", "upgraded"),
      ` ${newerVersion.program} from ${newerVersion.current} to ${newerVersion.latest}`,
    );
    screen.say(
      "A server that runs goes on with the old version until it restarts. Make a backup first: argosy backup",
    );
  } else if (newerVersion.available)
    screen.say(
      `Version ${newerVersion.latest} is available, and this is ${newerVersion.current}. \`argosy upgrade\` installs it.`,
    );
  else screen.say(`This is the latest version, ${newerVersion.current}.`);
  return exitCodes.ok;
}
