import { resolve } from "node:path";
import { Command } from "commander";
import { AppError } from "../../kit/app-error.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { askYesNo, canAsk } from "../terminal/ask.ts";
import { paint } from "../terminal/paint.ts";

interface UnpackOptions {
  verify?: string;
  force?: true;
  check?: true;
}

export const unpackCommand = (perform: Perform) =>
  new Command("unpack")
    .description("check a pack, and write its files into a workspace")
    .argument("<pack>", "a file that `argosy pack` wrote")
    .argument("[folder]", "the workspace (current folder)")
    .option("--verify <key>", "the Ed25519 public key in PEM that must have signed it")
    .option("--force", "replace files that are there with another content")
    .option("--check", "only check it, and list its files")
    .action((pack: string, folder: string | undefined, options: UnpackOptions, command: Command) =>
      perform(command, (call) => unpack(call, pack, folder, options)),
    );

async function unpack(
  call: CommandCall,
  file: string,
  folder: string | undefined,
  { verify, force, check }: UnpackOptions,
): Promise<ExitCode> {
  const { shell, screen } = call;
  const at = (path: string) => resolve(shell.folder, path);
  const workspace = at(folder ?? call.options.workspace ?? ".");
  const pack = at(file);
  const openedPack = await shell.parts.openPack(pack, verify === undefined ? undefined : at(verify));
  if (check !== true) {
    const { trusted } = await shell.parts.workspaceTrust(workspace);
    // In a workspace that is trusted, its programs could run at once.
    if (trusted && openedPack.programs.length > 0 && call.options.trust !== true)
      await requireConsent(call, workspace, openedPack.programs);
  }
  const request = {
    pack,
    workspace,
    force: force === true,
    ...(verify !== undefined && { keyFile: at(verify) }),
  };
  const written = check === true ? [] : await shell.parts.unpackAgent(request);
  if (screen.json) {
    screen.document({ workspace, ...openedPack, written });
    return exitCodes.ok;
  }
  for (const path of check === true ? openedPack.files : written)
    screen.say(paint("green", check ? "has  " : "wrote"), ` ${path}`);
  for (const path of openedPack.programs) screen.say(paint("yellow", "program"), ` ${path}`);
  for (const { path, reason } of openedPack.left_out)
    screen.say(paint("yellow", "left out"), ` ${path}: ${reason}`);
  if (openedPack.variables.length > 0) screen.say(`Set the variables ${openedPack.variables.join(", ")}.`);
  screen.say(openedPack.signed ? "Its signature is valid." : "It is not signed.");
  return exitCodes.ok;
}

async function requireConsent(
  { shell, screen }: CommandCall,
  workspace: string,
  programs: string[],
): Promise<void> {
  if (canAsk(shell)) {
    screen.say(
      paint("yellow", "The workspace is trusted, and the pack has programs, which may run there:"),
      ` ${workspace}`,
    );
    for (const path of programs.slice(0, 10)) screen.say(`  ${path}`);
    if (await askYesNo(shell, "Do you trust this pack?")) return;
  }
  throw new AppError(
    "forbidden",
    "pack_untrusted",
    "The pack has programs, and the workspace is trusted. Nothing was written.",
    {
      details: {
        hint: "Look at it with --check. Then repeat the command with --trust, or unpack into another folder.",
      },
    },
  );
}
