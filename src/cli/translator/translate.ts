import type { Command } from "commander";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";
import { printGaps } from "./print-changes.ts";
import { specFiles, type TranslatorOptions, translatorCommand, withTranslator } from "./with-translator.ts";

export const translateCommand = (perform: Perform) =>
  translatorCommand("translate", "show which cloud resources manifests become, and what is lost")
    .argument("<paths...>", "manifests of agents and pipelines, or folders of them")
    .option("--provider <id>", "a cloud provider: gcp or aws (gcp)")
    .option("--config", "print the resources' configs too")
    .action((paths: string[], options: TranslatorOptions & { config?: boolean }, command: Command) =>
      perform(command, (call) => translate(call, paths, options)),
    );

async function translate(
  call: CommandCall,
  paths: readonly string[],
  options: TranslatorOptions & { config?: boolean },
): Promise<ExitCode> {
  const { screen } = call;
  const files = await specFiles(call, paths);
  const translations = await withTranslator(call, options, async (client) => {
    const all = [];
    for (const { yaml } of files) {
      call.signal.throwIfAborted();
      all.push(await client.translate(yaml, options.provider));
    }
    return all;
  });
  if (screen.json) {
    screen.document({ translations });
    return exitCodes.ok;
  }
  for (const { kind, name, provider, resources, gaps } of translations) {
    screen.print(paint("bold", `${kind}/${name}`), paint("dim", ` on ${provider}`));
    for (const { resource_type, name: resource, source_section, config } of resources) {
      screen.print(
        "  ",
        paint("green", resource_type),
        ` ${resource}`,
        paint("dim", `  from ${source_section}`),
      );
      if (options.config === true)
        for (const line of JSON.stringify(config, null, 2).split("\n")) screen.print(`    ${line}`);
    }
    printGaps(screen, gaps);
  }
  return exitCodes.ok;
}
