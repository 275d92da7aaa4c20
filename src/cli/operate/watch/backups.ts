import { Command } from "commander";
import type { KnownBackup } from "../../../contracts/daemon/backups.ts";
import { type CommandCall, type Perform, withDaemon } from "../../call.ts";
import { type ExitCode, exitCodes } from "../../exit-codes.ts";
import { type Inline, paint } from "../../terminal/paint.ts";
import { sizeText } from "../../terminal/size-text.ts";

export const backupsCommand = (perform: Perform) =>
  new Command("backups")
    .description("list the backups of this data folder, newest first")
    .action((_: object, command: Command) => perform(command, listBackups));

async function listBackups(call: CommandCall): Promise<ExitCode> {
  const { screen } = call;
  const list = await withDaemon(call, {}, (client) => client.backups());
  if (screen.json) {
    screen.document(list);
    return exitCodes.ok;
  }
  screen.table(
    ["PLACE", "TAKEN", "SIZE", "STATE", "VERSION"],
    list.backups.map((backup) => [
      backup.place,
      backup.taken_at,
      backup.archive_bytes === null ? "" : sizeText(backup.archive_bytes),
      stateOf(backup),
      backup.argosy,
    ]),
  );
  for (const sentence of list.missing) screen.say(sentence);
  return exitCodes.ok;
}

const stateOf = ({ state }: KnownBackup): Inline =>
  paint(({ present: "green", elsewhere: "dim", missing: "red", changed: "red" } as const)[state], state);
