import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { hasEnded, markPattern, processMark } from "./process-mark.ts";

const ownName = new RegExp(`^lance-(${markPattern})\\.[0-9a-f-]{36}$`);

/**
 * Creates a folder for LanceDB's temporary files below `parent`, and removes those of processes that have ended. LanceDB leaves a folder
 * behind at every exit.
 */
export async function openTemporaryFolder(parent: string): Promise<string> {
  const path = join(parent, `lance-${processMark}.${crypto.randomUUID()}`);
  await mkdir(path, { recursive: true, mode: 0o700 });
  for (const name of await readdir(parent)) {
    const [, mark] = ownName.exec(name) ?? [];
    if (mark !== undefined && hasEnded(mark))
      await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }
  return path;
}
