import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * Replaces the text of a file atomically, also if the power fails or the process is killed: a new file, synced to disk, replaces the old
 * one. One writer at a time.
 */
export function replaceFile(path: string, text: string, mode: number): void {
  const draft = draftOf(path);
  // Removes the draft of a killed process; `wx` then refuses a file that another process creates there.
  rmSync(draft, { force: true });
  try {
    writeDraft(draft, text, mode);
    renameSync(draft, path);
  } catch (thrown) {
    rmSync(draft, { force: true });
    throw thrown;
  }
  syncFolder(dirname(path));
}

/** Removes a file so that it stays removed if the power fails. */
export function removeFile(path: string): void {
  rmSync(path, { force: true });
  syncFolder(dirname(path));
}

/** Returns the path of a file's draft: hidden, and with an ending that no reader looks for. */
export function draftOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.draft`);
}

function writeDraft(draft: string, text: string, mode: number): void {
  const file = openSync(draft, "wx", 0o600);
  try {
    const bytes = Buffer.from(text);
    // A full disk may accept only a part of the bytes, and reports it only by the count.
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    // Restores the mode bits that the process's umask removed.
    fchmodSync(file, mode);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
