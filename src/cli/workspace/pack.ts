import { resolve } from "node:path";
import { Command } from "commander";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";

interface PackOptions {
  out?: string;
  with?: string[];
  checked?: string[];
  sign?: string;
  force?: true;
}

export const packCommand = (perform: Perform) =>
  new Command("pack")
    .description("write an agent and all that it needs from its workspace into one file, without secrets")
    .argument("<agent>", "an agent's name")
    .option("--out <file>", "the pack (<agent>.pack.json)")
    .option("--with <paths...>", "further files of the workspace, such as cassettes")
    .option("--checked <paths...>", "files without secrets that look as if they had some")
    .option("--sign <key>", "an Ed25519 key in PEM, to sign the pack")
    .option("--force", "replace the pack if it is there")
    .action((agent: string, options: PackOptions, command: Command) =>
      perform(command, (call) => pack(call, agent, options)),
    );

async function pack(call: CommandCall, agent: string, options: PackOptions): Promise<ExitCode> {
  const { shell, screen } = call;
  const at = (path: string) => resolve(shell.folder, path);
  const made = await shell.parts.packAgent({
    workspace: at(call.options.workspace ?? "."),
    agent,
    file: at(options.out ?? `${agent}.pack.json`),
    force: options.force === true,
    ...(options.with && { more: options.with }),
    ...(options.checked && { checked: options.checked }),
    ...(options.sign !== undefined && { keyFile: at(options.sign) }),
  });
  if (screen.json) {
    screen.document(made);
    return exitCodes.ok;
  }
  for (const path of made.files) screen.say(paint("green", "packed  "), ` ${path}`);
  for (const { path, reason } of made.left_out)
    screen.say(paint("yellow", "left out"), ` ${path}: ${reason}`);
  if (made.variables.length > 0) screen.say(`It needs the variables ${made.variables.join(", ")}.`);
  screen.say(`${made.file}${made.signed ? ", signed" : ""}`);
  return exitCodes.ok;
}
