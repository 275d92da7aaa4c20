import type { Command } from "commander";
import { toAppError } from "../../kit/app-error.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { requireYes, yesOption } from "../option-values.ts";
import { paint } from "../terminal/paint.ts";
import { printPartial } from "./apply.ts";
import { namedSpecs } from "./drift.ts";
import { type TranslatorOptions, translatorCommand, withTranslator } from "./with-translator.ts";

interface DestroyOptions extends TranslatorOptions {
  forgetMissing?: boolean;
  yes?: boolean;
}

export const destroyCommand = (perform: Perform) =>
  translatorCommand("destroy", "delete the cloud resources of manifests in all accounts, and the manifests")
    .argument("<paths...>", "manifests of agents and pipelines, or folders of them")
    .option(
      "--forget-missing",
      "forget resources in accounts that are no longer in runtime.yaml: they stay in the cloud",
    )
    .addOption(yesOption())
    .action((paths: string[], options: DestroyOptions, command: Command) =>
      perform(command, (call) => destroy(call, paths, options)),
    );

async function destroy(
  call: CommandCall,
  paths: readonly string[],
  options: DestroyOptions,
): Promise<ExitCode> {
  const { screen } = call;
  const { forgetMissing } = options;
  requireYes(options, "This deletes cloud resources.");
  const removals = await withTranslator(call, options, async (client) => {
    const all = [];
    // Agents refer to pipelines, which come first: they are deleted last.
    for (const { kind, name } of (await namedSpecs(call, client, paths)).reverse()) {
      call.signal.throwIfAborted();
      const removal = await client
        .deleteSpec(kind, name, { cascade: true, forgetMissing })
        .catch((thrown) => {
          throw printPartial(screen, toAppError(thrown));
        });
      if (!screen.json) {
        for (const one of removal.deleted) screen.print(paint("red", `- ${one}`));
        for (const { account, resource_type, resource, id } of removal.forgotten ?? [])
          screen.print(
            paint("yellow", `? ${resource}`),
            ` stays in account ${account}: ${resource_type} ${id}`,
          );
        screen.say(`${kind}/${name}: ${removal.deleted.length} deleted.`);
      }
      all.push(removal);
    }
    return all;
  });
  if (screen.json) screen.document({ removals });
  return exitCodes.ok;
}
