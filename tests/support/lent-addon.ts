import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { installedAddon, ownTarget } from "../../scripts/building/lance-package.ts";

/**
 * Puts LanceDB's installed addon where the executable unpacks its own at the first use of vectors, below the workspace: unpacking takes
 * five times as much CPU time as copying. An executable with another addon does not use this one, and unpacks its own.
 */
export async function lendAddon(workspace: string): Promise<void> {
  const addon = installedAddon(join(import.meta.dir, "../.."), ownTarget());
  if (addon === undefined) return;
  const native = join(workspace, ".argosy/native");
  mkdirSync(native, { recursive: true, mode: 0o700 });
  hash ??= hashOf(addon);
  cpSync(addon, join(native, `lancedb-${await hash}.node`));
}

let hash: Promise<string> | undefined;

async function hashOf(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const chunk of Bun.file(path).stream()) hasher.update(chunk);
  return hasher.digest("hex");
}
