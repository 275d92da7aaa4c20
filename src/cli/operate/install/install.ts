import { Command } from "commander";
import { version } from "../../../../package.json" with { type: "json" };
import type { CommandCall, Perform } from "../../call.ts";
import { type ExitCode, exitCodes } from "../../exit-codes.ts";
import { paint } from "../../terminal/paint.ts";

interface InstallOptions {
  to?: string;
  force?: boolean;
}

export const installCommand = (perform: Perform) =>
  new Command("install")
    .description("put this executable on the PATH, with shell completion and a man page")
    .option("--to <folder>", "folder for the executable (~/.local/bin; for root /usr/local/bin)")
    .option("--force", "replace a file that another program or you have put there")
    .action((options: InstallOptions, command: Command) =>
      perform(command, (call) => install(call, options, command)),
    );

async function install(
  { shell, screen }: CommandCall,
  options: InstallOptions,
  command: Command,
): Promise<ExitCode> {
  const program = command.parent ?? command;
  const { completionScript } = await import("../completion-script.ts");
  const { manPage } = await import("./man-page.ts");
  const { advice, ...installed } = await shell.parts.installProgram({
    to: options.to,
    from: shell.folder,
    force: options.force === true,
    version,
    texts: {
      bash: completionScript("bash", program),
      zsh: completionScript("zsh", program),
      fish: completionScript("fish", program),
      manPage: manPage(program, version),
    },
  });
  if (screen.json) {
    screen.document({ ...installed, version, advice });
    return exitCodes.ok;
  }
  for (const file of installed.files) {
    const isLeft = file === installed.program && installed.was_in_place;
    screen.say(paint("green", isLeft ? "kept" : "wrote"), ` ${file}`);
  }
  screen.say("");
  for (const line of advice) screen.say(line);
  return exitCodes.ok;
}

export const uninstallCommand = (perform: Perform) =>
  new Command("uninstall")
    .description("remove the files that `argosy install` wrote; data and workspaces stay")
    .action((_options: object, command: Command) => perform(command, uninstall));

async function uninstall({ shell, screen }: CommandCall): Promise<ExitCode> {
  const { removed, missing } = await shell.parts.uninstallProgram();
  if (screen.json) screen.document({ removed, missing });
  else {
    for (const file of removed) screen.say(paint("green", "removed"), ` ${file}`);
    for (const file of missing) screen.say(paint("dim", "was gone"), ` ${file}`);
    screen.say("Workspaces and their data folders stay. Delete them yourself if you no longer need them.");
  }
  return exitCodes.ok;
}
