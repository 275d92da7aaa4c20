import { Argument, Command } from "commander";
import type { SecretName } from "../../compose/settings/secrets/effective-secrets.ts";
import { type CommandCall, loadConfig, type Perform, readConfig } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";

/** Duplicates the names in the storage, because a command's definition must not load the storage. */
const names = ["sealing_keys", "jwt_keys"] as const satisfies readonly SecretName[];

export const secretsCommand = (perform: Perform) => {
  const command = new Command("secrets").description(
    "create, rotate and show the keys for sealing and signing",
  );
  command
    .command("init")
    .description("create missing secrets in the data folder")
    .option("--print", "print new secrets as environment variables, without storing them")
    .action((options: { print?: boolean }, inner: Command) =>
      perform(inner, (call) => (options.print ? printFresh(call) : init(call))),
    );
  command
    .command("rotate")
    .description("add a new key for new data; old keys still decrypt existing data")
    .addArgument(new Argument("[name]", "the secret to rotate (all)").choices(names))
    .action((name: SecretName | undefined, _options: object, inner: Command) =>
      perform(inner, (call) => rotate(call, name === undefined ? names : [name])),
    );
  command
    .command("show")
    .description("show the keys and their sources")
    .option("--reveal", "print the secrets themselves, as environment variables")
    .action((options: { reveal?: boolean }, inner: Command) =>
      perform(inner, (call) => show(call, options.reveal === true)),
    );
  return command;
};

async function printFresh({ screen }: CommandCall): Promise<ExitCode> {
  const { freshVariables } = await import("../../compose/settings/secrets/effective-secrets.ts");
  const variables = freshVariables();
  if (screen.json) screen.document(variables);
  else for (const [variable, value] of Object.entries(variables)) screen.print(`${variable}=${value}`);
  return exitCodes.ok;
}

async function init(call: CommandCall): Promise<ExitCode> {
  const { screen } = call;
  const { initLocalSecrets } = await import("../../compose/settings/secrets/effective-secrets.ts");
  const { path, created } = initLocalSecrets(await loadConfig(call));
  if (screen.json) screen.document({ path, created });
  else
    screen.say(
      created
        ? `Created ${path}. Keep a copy in a safe place.`
        : `${path} already exists; nothing was changed.`,
    );
  return exitCodes.ok;
}

async function rotate(call: CommandCall, chosen: readonly SecretName[]): Promise<ExitCode> {
  const { screen } = call;
  const { rotateLocalSecrets } = await import("../../compose/settings/secrets/effective-secrets.ts");
  const secrets = rotateLocalSecrets(await loadConfig(call), chosen);
  if (screen.json) screen.document({ secrets });
  else {
    screen.table(
      ["SECRET", "KEYS"],
      secrets.map(({ name, keys }) => [name, keys]),
    );
    screen.say("The new key is used from the next start. Old keys still decrypt existing data.");
  }
  return exitCodes.ok;
}

async function show(call: CommandCall, reveal: boolean): Promise<ExitCode> {
  const { screen } = call;
  const { effectiveSecrets, revealedVariables } = await import(
    "../../compose/settings/secrets/effective-secrets.ts"
  );
  const config = await readConfig(call);
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
