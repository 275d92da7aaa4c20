import { stat } from "node:fs/promises";

/** Throws if another user could exchange a file in this folder between its check and its use. */
export async function requireOwnFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const { uid, mode } = await stat(path);
  if (uid === process.getuid?.() && (mode & 0o022) === 0) return;
  throw Object.assign(new Error("Other users can write to this folder."), { code: "EACCES" });
}
