import { Argument, Command } from "commander";
import type { SecretName } from "../compose/secrets.ts";
import { type Call, loadConfig, type Perform } from "./call.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { paint } from "./paint.ts";

/** Duplicates the names in the storage, because a command's definition must not load the storage. */
const names = ["sealing_keys", "jwt_keys"] as const satisfies readonly SecretName[];

export const secretsCommand = (perform: Perform) => {
  const command = new Command("secrets").description(
    "make, rotate and show the keys this installation seals and signs with",
  );
  command
    .command("init")
    .description("make the data folder's secrets where there are none")
    .option("--print", "make new ones and print them as environment variables; nothing is stored")
    .action((options: { print?: boolean }, inner: Command) =>
      perform(inner, (call) => (options.print ? printFresh(call) : init(call))),
    );
  command
    .command("rotate")
    .description("put a new key first; the old ones still open what they made")
    .addArgument(new Argument("[name]", "which (all)").choices(names))
    .action((name: SecretName | undefined, _options: object, inner: Command) =>
      perform(inner, (call) => rotate(call, name === undefined ? names : [name])),
    );
  command
    .command("show")
    .description("show which keys there are and where they come from")
    .option("--reveal", "print the secrets themselves, as environment variables")
    .action((options: { reveal?: boolean }, inner: Command) =>
      perform(inner, (call) => show(call, options.reveal === true)),
    );
  return command;
};

async function printFresh({ screen }: Call): Promise<ExitCode> {
  const { freshVariables } = await import("../compose/secrets.ts");
  const variables = freshVariables();
  if (screen.json) screen.document(variables);
  else for (const [variable, value] of Object.entries(variables)) screen.print(`${variable}=${value}`);
  return exitCodes.ok;
}

async function init(call: Call): Promise<ExitCode> {
  const { screen } = call;
  const { initLocalSecrets } = await import("../compose/secrets.ts");
  const { path, created } = initLocalSecrets(await loadConfig(call));
  if (screen.json) screen.document({ path, created });
  else
    screen.say(
      created
        ? `Made ${path}; keep a copy of it in a safe place.`
        : `${path} exists already; nothing was changed.`,
    );
  return exitCodes.ok;
}

async function rotate(call: Call, chosen: readonly SecretName[]): Promise<ExitCode> {
  const { screen } = call;
  const { rotateLocalSecrets } = await import("../compose/secrets.ts");
  const secrets = rotateLocalSecrets(await loadConfig(call), chosen);
  if (screen.json) screen.document({ secrets });
  else {
    screen.table(
      ["SECRET", "KEYS"],
      secrets.map(({ name, keys }) => [name, keys]),
    );
    screen.say("The first key is used from the next start on; the others still open what they made.");
  }
  return exitCodes.ok;
}

async function show(call: Call, reveal: boolean): Promise<ExitCode> {
  const { screen } = call;
  const { effectiveSecrets, revealedVariables } = await import("../compose/secrets.ts");
  const config = await loadConfig(call);
  if (reveal) {
    const variables = revealedVariables(config);
    if (screen.json) screen.document(variables);
    else for (const [variable, value] of Object.entries(variables)) screen.print(`${variable}=${value}`);
    return exitCodes.ok;
  }
  const secrets = effectiveSecrets(config);
  if (screen.json) screen.document({ secrets });
  else {
    screen.table(
      ["SECRET", "KEYS", "SOURCE", "NAME"],
      secrets.map(({ name, keys, source, origin }) => [
        name,
        keys,
        source === "none" ? paint("yellow", source) : source,
        paint("dim", origin),
      ]),
    );
  }
  return exitCodes.ok;
}
