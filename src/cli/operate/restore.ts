import { Command } from "commander";
import { type CommandCall, loadConfig, type Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";

export const restoreCommand = (perform: Perform) =>
  new Command("restore")
    .description("restore a backup into the data folder")
    .argument("<place>", "file, s3://bucket/key, or - for stdin")
    .option("--force", "replace present data; it is moved to a folder in the data folder")
    .action((place: string, { force = false }: { force?: boolean }, command: Command) =>
      perform(command, (call) => restore(call, place, force)),
    );

async function restore(call: CommandCall, place: string, force: boolean): Promise<ExitCode> {
  const { screen, shell, signal } = call;
  const config = await loadConfig(call);
  const source = await shell.parts.backupPlace(place, shell.folder, config, shell);
  const restored = await shell.parts.restoreBackup(config, source, {
    force,
    signal,
    onProgress(files) {
      if (screen.hasReader && files % 1000 === 0) screen.say(`${files} files`);
    },
  });
  if (screen.json) screen.document(restored);
  else {
    screen.say(
      `Restored ${restored.databases} databases and ${restored.files - restored.databases} other files to ${restored.data_folder}, as they were at ${restored.taken_at}.`,
    );
    if (restored.replaced !== null) screen.say(`The data that was there is in ${restored.replaced}.`);
    for (const warning of restored.warnings) screen.say(warning);
    if (restored.has_external_database)
      screen.say("The tables of this installation were in PostgreSQL: restore them with pg_restore.");
  }
  return exitCodes.ok;
}
