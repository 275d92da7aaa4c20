import { Command } from "commander";
import type { BackupProgress } from "../../command/backup/make-backup.ts";
import { backupFileName } from "../../contracts/daemon/backups.ts";
import { systemClock } from "../../kit/clock.ts";
import { type CommandCall, type Perform, readConfig } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { sizeText } from "../terminal/size-text.ts";

export const backupCommand = (perform: Perform) =>
  new Command("backup")
    .description("back up all data at one instant, also while a server runs")
    .argument("[place]", "file, s3://bucket/key, or - for stdout (argosy-<time>.tar.zst)")
    .option("--progress", "print the progress on stderr as lines of JSON")
    .action((place: string | undefined, options: { progress?: true }, command: Command) =>
      perform(command, (call) => backUp(call, place, options.progress)),
    );

async function backUp(call: CommandCall, place = defaultName(), hasProgress = false): Promise<ExitCode> {
  const { screen, shell, signal } = call;
  const config = await readConfig(call);
  const target = await shell.parts.backupPlace(place, shell.folder, config, shell);
  const made = await shell.parts.makeBackup(config, target, {
    signal,
    onProgress: hasProgress ? everyPercent(call) : everyTenth(call),
  });
  // With `-`, stdout has the backup.
  if (screen.json && place !== "-") screen.document(made);
  else {
    screen.say(
      `Backed up ${made.databases} databases and ${made.files} other files (${sizeText(made.size_bytes)}) to ${made.place}.`,
    );
    for (const warning of made.warnings) screen.say(warning);
    if (made.has_keys)
      screen.say("It contains the keys of this installation: keep it as safe as the data folder.");
  }
  return exitCodes.ok;
}

/** Reports progress to a person ten times. */
function everyTenth({ screen }: CommandCall): BackupProgress {
  let printedLines = 0;
  return ({ files, of, bytes }) => {
    const tenth = Math.floor((10 * files) / of);
    if (tenth === printedLines || tenth === 10 || !screen.hasReader) return;
    printedLines = tenth;
    screen.say(`${tenth * 10} %, ${sizeText(bytes)}`);
  };
}

/** Prints a line of JSON at the first file and for each percent of the bytes. */
function everyPercent({ screen }: CommandCall): BackupProgress {
  let lastPercent = -1;
  return ({ files, of, bytes, ofBytes }) => {
    const percent = Math.floor((100 * bytes) / Math.max(1, ofBytes));
    if (percent === lastPercent) return;
    lastPercent = percent;
    screen.say(JSON.stringify({ files, of_files: of, bytes, of_bytes: ofBytes }));
  };
}

const defaultName = (): string => backupFileName(systemClock.now());
