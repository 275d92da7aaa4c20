import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { invalidManifest } from "../../manifest/fault.ts";

/** Returns the text of a file in the workspace, or undefined if it doesn't exist. Throws AppError `invalid_manifest` if it can't be read. */
export function workspaceText(workspace: string, name: string): string | undefined {
  const path = join(workspace, name);
  if (!existsSync(path)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (thrown) {
    throw invalidManifest([{ path: "", message: reasonOf(thrown) }], name);
  }
}

function reasonOf(thrown: unknown): string {
  if (thrown instanceof TypeError) return "is not valid UTF-8";
  const { code } = thrown as { code?: string };
  if (code === "EISDIR") return "is a folder";
  if (code === "EACCES") return "can't be read: this user may not read it";
  return `can't be read (${code ?? "unknown reason"})`;
}
