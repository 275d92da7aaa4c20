import { Command, InvalidArgumentError } from "commander";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";
import {
  allHeld,
  allSpecs,
  type TranslatorOptions,
  translatorCommand,
  withTranslator,
} from "./with-translator.ts";

interface AccountOptions extends TranslatorOptions {
  account: string;
}

interface EditOptions extends AccountOptions {
  set: Record<string, unknown>;
}

const embedded = (command: Command) =>
  command.option("--account <name>", "an embedded account of runtime.yaml", "local");

export const translatorGroup = (perform: Perform) =>
  new Command("translator")
    .description("look into the manifest translator: coverage, manifests, accounts")
    .addCommand(
      translatorCommand("coverage", "show how well a cloud covers each section of manifests")
        .option("--provider <id>", "a cloud provider: gcp or aws (gcp)")
        .action((options: TranslatorOptions, command: Command) =>
          perform(command, (call) => coverage(call, options)),
        ),
    )
    .addCommand(
      translatorCommand("specs", "list the submitted manifests").action(
        (options: TranslatorOptions, command: Command) => perform(command, (call) => specs(call, options)),
      ),
    )
    .addCommand(
      translatorCommand("accounts", "list the cloud accounts").action(
        (options: TranslatorOptions, command: Command) => perform(command, (call) => accounts(call, options)),
      ),
    )
    .addCommand(
      new Command("account")
        .description("look into an embedded account, or change it by hand")
        .addCommand(
          embedded(translatorCommand("show", "list the resources that the account holds")).action(
            (options: AccountOptions, command: Command) =>
              perform(command, (call) => showAccount(call, options)),
          ),
        )
        .addCommand(
          embedded(translatorCommand("edit", "change a resource by hand, as in a cloud's console"))
            .argument("<resource>", "the resource's id or name")
            .requiredOption(
              "--set <path=value>",
              "a new value, as JSON or text; null removes it; repeatable",
              assignment,
            )
            .action((resource: string, options: EditOptions, command: Command) =>
              perform(command, (call) => edit(call, resource, options)),
            ),
        ),
    );

/** Parses `path=value`; a value that is not JSON is text. */
function assignment(text: string, earlier: Record<string, unknown> = {}): Record<string, unknown> {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("It must be such as display_name=Desk.");
  const value = text.slice(at + 1);
  return { ...earlier, [text.slice(0, at)]: jsonOr(value) };
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function coverage(call: CommandCall, options: TranslatorOptions): Promise<ExitCode> {
  const { screen } = call;
  const matrix = await withTranslator(call, options, (client) => client.coverage(options.provider));
  if (screen.json) screen.document(matrix);
  else {
    screen.table(
      ["KIND", "SECTION", "COVERAGE", "WHAT IS LOST"],
      matrix.sections.map(({ kind, section, coverage, detail }) => [
        kind,
        paint("bold", section),
        coverage,
        detail,
      ]),
    );
  }
  return exitCodes.ok;
}

async function specs(call: CommandCall, options: TranslatorOptions): Promise<ExitCode> {
  const { screen } = call;
  const submitted = await withTranslator(call, options, allSpecs);
  if (screen.json) screen.document({ specs: submitted });
  else
    screen.table(
      ["KIND", "NAME"],
      submitted.map(({ kind, name }) => [kind, paint("bold", name)]),
    );
  return exitCodes.ok;
}

async function accounts(call: CommandCall, options: TranslatorOptions): Promise<ExitCode> {
  const { screen } = call;
  const list = await withTranslator(call, options, (client) => client.listAccounts());
  if (screen.json) screen.document(list);
  else {
    screen.table(
      ["NAME", "PROVIDER", "DRIVER"],
      list.accounts.map(({ name, provider, driver }) => [paint("bold", name), provider, driver]),
    );
  }
  return exitCodes.ok;
}

async function showAccount(call: CommandCall, options: AccountOptions): Promise<ExitCode> {
  const { screen } = call;
  const resources = await withTranslator(call, options, (client) => allHeld(client, options.account));
  if (screen.json) screen.document({ resources });
  else {
    screen.table(
      ["ID", "NAME", "SPEC", "UPDATED"],
      resources.map(({ id, name, spec, updated_at }) => [id, paint("bold", name), spec, updated_at]),
    );
  }
  return exitCodes.ok;
}

async function edit(call: CommandCall, resource: string, options: EditOptions): Promise<ExitCode> {
  const { screen } = call;
  const { account, set } = options;
  const resources = await withTranslator(call, options, async (client) => {
    const named = (await allHeld(client, account)).filter(
      ({ id, name }) => id === resource || name === resource,
    );
    // An unknown one is refused by the service.
    return client.editHeld(account, named.length === 1 ? (named[0]?.id ?? resource) : resource, { set });
  });
  if (screen.json) screen.document(resources);
  else screen.say(`${resources.name} was changed. \`argosy drift\` shows it.`);
  return exitCodes.ok;
}
