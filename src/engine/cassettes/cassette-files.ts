import { randomUUID } from "node:crypto";
import { accessSync, chmodSync, constants, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Cassette } from "../../contracts/daemon/cassettes/cassette-file.ts";
import { AppError } from "../../kit/app-error.ts";
import { cassetteBytesMax, readCassette } from "./read-cassette.ts";

/** Reads the cassette in a file. Throws AppError with the reason if it is not a valid cassette. */
export async function readCassetteFile(path: string): Promise<Cassette> {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined) throw usage(`${path} does not exist.`);
  if (!status.isFile()) throw usage(`${path} is not a file.`);
  if (status.size > cassetteBytesMax) {
    throw new AppError(
      "too_large",
      "cassette_too_large",
      `${path} is larger than ${cassetteBytesMax / 1024 / 1024} MiB, the maximum for a cassette.`,
    );
  }
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (thrown) {
    throw usage(`${path} can't be read (${codeOf(thrown)}).`);
  }
  try {
    return readCassette(new TextDecoder("utf-8", { fatal: true }).decode(bytes), path);
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    throw new AppError("invalid", "invalid_cassette", `${path} is not UTF-8 text, so no cassette.`);
  }
}

/** Checks whether a file can be written here, before the work for it begins. */
export function requireWritable(path: string): void {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status !== undefined && !status.isFile()) throw usage(`${path} is not a file.`);
  const folder = dirname(path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw usage(`There is no folder ${folder} to write a recording to.`);
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    throw usage(`No file can be written in ${folder}: this user may not.`);
  }
}

/** Writes a recording that only its owner can read, completely or not at all. */
export function writeCassetteFile(path: string, text: string): void {
  const unfinished = `${path}.${randomUUID()}.tmp`;
  try {
    writeFileSync(unfinished, text, { mode: 0o600, flag: "wx" });
    chmodSync(unfinished, 0o600);
    renameSync(unfinished, path);
  } catch (thrown) {
    rmSync(unfinished, { force: true });
    throw new AppError("unavailable", "cassette_unwritable", `${path} can't be written (${codeOf(thrown)}).`);
  }
}

function usage(message: string): AppError {
  return new AppError("invalid", "usage", message);
}

function codeOf(thrown: unknown): string {
  return String((thrown as { code?: unknown }).code);
}
