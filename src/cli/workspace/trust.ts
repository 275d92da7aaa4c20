import { resolve } from "node:path";
import { Command, Option } from "commander";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";

interface TrustOptions {
  list?: true;
  remove?: true;
  check?: true;
}

export const trustCommand = (perform: Perform) =>
  new Command("trust")
    .description(
      "trust a workspace from elsewhere: its stdio MCP servers and files in tools/ may run, its files get variables",
    )
    .argument("[folder]", "the workspace (current folder)")
    .addOption(new Option("--list", "list the trusted workspaces").conflicts(["remove", "check"]))
    .addOption(new Option("--remove", "no longer trust the workspace").conflicts("check"))
    .option("--check", "only show whether it is trusted, and which of its files that concerns")
    .action((folder: string | undefined, options: TrustOptions, command: Command) =>
      perform(command, (call) => (options.list ? list(call) : trust(call, folder, options))),
    );

async function trust(
  { shell, screen, options: { workspace } }: CommandCall,
  folder: string | undefined,
  { remove, check }: TrustOptions,
): Promise<ExitCode> {
  const { parts } = shell;
  const place = resolve(shell.folder, folder ?? workspace ?? ".");
  if (remove) {
    const wasTrusted = await parts.distrustWorkspace(place);
    if (screen.json) screen.document({ workspace: place, trusted: false, was_trusted: wasTrusted });
    else screen.say(wasTrusted ? `${place} is no longer trusted.` : `${place} was not trusted.`);
    if (wasTrusted && !screen.json)
      screen.say(paint("dim", "A running server ends its MCP servers when it restarts."));
    return exitCodes.ok;
  }
  const folderTrust = check ? await parts.workspaceTrust(place) : await parts.trustWorkspace(place);
  if (screen.json) screen.document(folderTrust);
  else {
    screen.say(
      folderTrust.trusted ? paint("green", "trusted") : paint("yellow", "not trusted"),
      ` ${folderTrust.workspace}`,
    );
    for (const file of folderTrust.programs) screen.say(`  ${file}`);
  }
  return exitCodes.ok;
}

async function list({ shell, screen }: CommandCall): Promise<ExitCode> {
  const workspaces = await shell.parts.trustedWorkspaces();
  if (screen.json) screen.document({ workspaces });
  else if (workspaces.length === 0) screen.say("No workspace is trusted on this machine.");
  else
    screen.table(
      ["WORKSPACE", "SINCE"],
      workspaces.map(({ folder, trusted_at }) => [folder, trusted_at]),
    );
  return exitCodes.ok;
}
