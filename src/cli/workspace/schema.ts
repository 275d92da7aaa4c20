import { Argument, Command } from "commander";
import { type ManifestKindName, manifestKindNames } from "../../manifest/schema/kind-names.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";

export const schemaCommand = (perform: Perform) =>
  new Command("schema")
    .description("print the JSON Schema of a file kind")
    .addArgument(new Argument("<kind>", "the kind of file").choices(manifestKindNames))
    .action((kind: ManifestKindName, _options: object, command: Command) =>
      perform(command, (call) => printSchema(call, kind)),
    );

async function printSchema({ screen, shell }: CommandCall, kind: ManifestKindName): Promise<ExitCode> {
  screen.document(await shell.parts.jsonSchema(kind));
  return exitCodes.ok;
}
