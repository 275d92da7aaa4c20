import {
  chmodSync,
  closeSync,
  copyFileSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname } from "node:path";
import { draftOf } from "../../storage/files/replace-file.ts";

/**
 * Copies an executable to a path atomically: a complete, synced copy replaces the file there. A program that runs from the old file is not
 * affected on Linux and macOS; Windows refuses to replace it.
 */
export async function copyExecutable(from: string, to: string): Promise<void> {
  mkdirSync(dirname(to), { recursive: true });
  const draft = draftOf(to);
  rmSync(draft, { force: true });
  try {
    copyFileSync(from, draft);
    chmodSync(draft, 0o755);
    const file = openSync(draft, "r+");
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, to);
  } catch (thrown) {
    rmSync(draft, { force: true });
    throw thrown;
  }
}
