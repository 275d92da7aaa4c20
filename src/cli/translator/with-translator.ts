import { resolve } from "node:path";
import { Command } from "commander";
import type { Target, TranslatorClient } from "../../contracts/translator/client.ts";
import type { HeldResource } from "../../contracts/translator/reconcile.ts";
import type { SpecReference } from "../../contracts/translator/translation.ts";
import { silentLogger } from "../../kit/log.ts";
import { allPages, type CommandCall, readConfig } from "../call.ts";

/** Options of every command that calls a translator. */
export interface TranslatorOptions extends Target {
  url?: string;
}

/** Creates a command with `--url`. */
export const translatorCommand = (name: string, description: string) =>
  new Command(name)
    .description(description)
    .option(
      "--url <address>",
      "address of the translator (ARGOSY_TRANSLATOR_URL, else the one of the data folder)",
    );

/** Like `translatorCommand`, for commands that compare manifests with an account. */
export const accountCommand = (name: string, description: string) =>
  translatorCommand(name, description)
    .option("--account <name>", "an account of runtime.yaml (default: the provider's first)")
    .option("--provider <id>", "a cloud provider: gcp or aws (default: the account's)");

/** Connects to the translator for the duration of `use`. */
export async function withTranslator<T>(
  call: CommandCall,
  { url }: TranslatorOptions,
  use: (client: TranslatorClient) => Promise<T>,
): Promise<T> {
  const config = await readConfig(call);
  const log = call.options.logLevel === undefined ? undefined : await call.shell.parts.createLogger(config);
  const translator = await call.shell.parts.reachTranslator(config, {
    log: log ?? silentLogger,
    ...(url === undefined ? {} : { url }),
  });
  try {
    return await use(translator.client);
  } finally {
    await translator.close();
    log?.flush();
  }
}

/** Returns all submitted manifests, page by page. */
export const allSpecs = (client: TranslatorClient): Promise<SpecReference[]> =>
  allPages(async (cursor) => {
    const page = await client.listSpecs({ limit: 200, ...(cursor === undefined ? {} : { cursor }) });
    return { items: page.specs, next: page.next_cursor };
  });

/** Returns all resources of an embedded account, page by page. */
export const allHeld = (client: TranslatorClient, account: string): Promise<HeldResource[]> =>
  allPages(async (cursor) => {
    const page = await client.listHeld(account, { limit: 200, ...(cursor === undefined ? {} : { cursor }) });
    return { items: page.resources, next: page.next_cursor };
  });

/** Reads the manifests at the paths that a person typed. */
export const specFiles = ({ shell }: CommandCall, paths: readonly string[]) =>
  shell.parts.readSpecFiles(paths.map((path) => resolve(shell.folder, path)));

export const targetOf = ({ account, provider }: TranslatorOptions): Target => ({ account, provider });
