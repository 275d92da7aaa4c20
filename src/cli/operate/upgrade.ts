import { Command } from "commander";
import { version } from "../../../package.json" with { type: "json" };
import type { Call, Perform } from "../call.ts";
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

async function upgrade({ shell, screen }: Call, checkOnly: boolean): Promise<ExitCode> {
  const found = await shell.parts.upgradeProgram({ version, checkOnly });
  if (screen.json) {
    screen.document(found);
    return exitCodes.ok;
  }
  if (found.upgraded) {
    screen.say(paint("green", "upgraded"), ` ${found.program} from ${found.current} to ${found.latest}`);
    screen.say(
      "A server that runs goes on with the old version until it restarts. Make a backup first: argosy backup",
    );
  } else if (found.available)
    screen.say(
      `Version ${found.latest} is available, and this is ${found.current}. \`argosy upgrade\` installs it.`,
    );
  else screen.say(`This is the latest version, ${found.current}.`);
  return exitCodes.ok;
}
