import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "../kit/app-error.ts";

/**
 * Opens the user's editor ($VISUAL, $EDITOR, else vi) on a text in this terminal, and returns what was saved. This process waits and does
 * nothing else. Throws AppError if the editor can't be started, or ends with a failure.
 */
export function openEditor(text: string, variable: (name: string) => string | undefined): string {
  const usual = process.platform === "win32" ? "notepad" : "vi";
  const [program = usual, ...args] = (variable("VISUAL") || variable("EDITOR") || usual).trim().split(/\s+/);
  const folder = mkdtempSync(join(tmpdir(), "argosy-query-"));
  const path = join(folder, "query.md");
  try {
    writeFileSync(path, text, { mode: 0o600 });
    const { error, status } = spawnSync(program, [...args, path], { stdio: "inherit" });
    if (error !== undefined)
      throw failed(`The editor ${program} can't be started.`, "Name one in the variable EDITOR.");
    if (status !== 0) throw failed(`The editor ${program} ended with a failure, so nothing is sent.`);
    return readFileSync(path, "utf8");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const failed = (message: string, hint?: string) =>
  new AppError("unavailable", "editor_failed", message, hint === undefined ? {} : { details: { hint } });
