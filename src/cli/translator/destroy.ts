import type { Command } from "commander";
import type { Call, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { requireYes, yesOption } from "../option-values.ts";
import { paint } from "../terminal/paint.ts";
import { namedSpecs } from "./drift.ts";
import { type TranslatorOptions, translatorCommand, withTranslator } from "./with-translator.ts";

interface DestroyOptions extends TranslatorOptions {
  yes?: boolean;
}

export const destroyCommand = (perform: Perform) =>
  translatorCommand("destroy", "delete the cloud resources of manifests in all accounts, and the manifests")
    .argument("<paths...>", "manifests of agents and pipelines, or folders of them")
    .addOption(yesOption())
    .action((paths: string[], options: DestroyOptions, command: Command) =>
      perform(command, (call) => destroy(call, paths, options)),
    );

async function destroy(call: Call, paths: readonly string[], options: DestroyOptions): Promise<ExitCode> {
  const { screen } = call;
  requireYes(options, "This deletes cloud resources.");
  const removals = await withTranslator(call, options, async (client) => {
    const all = [];
    // Agents refer to pipelines, which come first: they are deleted last.
    for (const { kind, name } of (await namedSpecs(call, client, paths)).reverse()) {
      call.signal.throwIfAborted();
      const removal = await client.deleteSpec(kind, name, { cascade: true });
      if (!screen.json) {
        for (const one of removal.deleted) screen.print(paint("red", `- ${one}`));
        screen.say(`${kind}/${name}: ${removal.deleted.length} deleted.`);
      }
      all.push(removal);
    }
    return all;
  });
  if (screen.json) screen.document({ removals });
  return exitCodes.ok;
}
