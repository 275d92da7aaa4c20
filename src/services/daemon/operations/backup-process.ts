import type { BackupJob } from "../../../contracts/daemon/backups.ts";
import { toAppError } from "../../../kit/app-error.ts";
import { splitLines } from "../../../kit/text/split-lines.ts";

/** Far more than a message of the command has. */
const lineBytesMax = 1024 * 1024;

type Progress = Pick<BackupJob, "files" | "of_files" | "bytes" | "of_bytes">;

interface BackupProcess {
  /** Resolves to null when the backup is made, and to the reason if it is not. Never rejects. */
  ended: Promise<BackupJob["error"]>;
  /** Returns the warnings about what the backup does not contain; empty until it is made. */
  warnings(): readonly string[];
  stop(): void;
}

/** Runs `argosy backup --json --progress` in a process with the environment of this one. */
export function runBackup(
  command: readonly string[],
  folder: string,
  onProgress: (done: Progress) => void,
): BackupProcess {
  const child = Bun.spawn([...command], { cwd: folder, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  let warnings: readonly string[] = [];
  const follow = async (): Promise<BackupJob["error"]> => {
    const [printed, , code] = await Promise.all([
      new Response(child.stdout).text(),
      readProgress(child.stderr, onProgress),
      child.exited,
    ]);
    if (code !== 0) return failureIn(printed, code);
    warnings = warningsIn(printed);
    return null;
  };
  const ended = follow().catch((thrown) => {
    child.kill("SIGTERM");
    return endedWithout(toAppError(thrown).message);
  });
  return { ended, warnings: () => warnings, stop: () => child.kill("SIGTERM") };
}

async function readProgress(stream: ReadableStream<Uint8Array>, onProgress: (done: Progress) => void) {
  for await (const line of splitLines(stream, lineBytesMax)) {
    // Other lines are messages.
    if (line.startsWith('{"files":')) onProgress(JSON.parse(line));
  }
}

function failureIn(printed: string, code: number): NonNullable<BackupJob["error"]> {
  try {
    const { error, message, hint = null } = JSON.parse(printed);
    return { error, message, hint };
  } catch {
    return endedWithout(`The process that made the backup ended with code ${code}.`);
  }
}

function warningsIn(printed: string): string[] {
  try {
    const { warnings } = JSON.parse(printed);
    return Array.isArray(warnings) ? warnings.map(String) : [];
  } catch {
    return [];
  }
}

const endedWithout = (message: string) => ({
  error: "backup_ended",
  message,
  hint: "Run `argosy backup` in a terminal to see why.",
});
