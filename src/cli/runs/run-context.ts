import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { toAppError } from "../../kit/app-error.ts";
import { isRecord } from "../../kit/json/is-record.ts";
import { parseStrictJson } from "../../kit/json/strict-json.ts";
import { usageError } from "../terminal/report-error.ts";
import type { RunOptions } from "./run-options.ts";

/** Returns the values of `--context` or `--context-file`, or undefined if neither is given. */
export async function readContext(
  options: Pick<RunOptions, "context" | "contextFile">,
  folder: string,
): Promise<Record<string, unknown> | undefined> {
  if (options.context !== undefined) return parseContext("--context", options.context);
  if (options.contextFile === undefined) return undefined;
  return parseContext(options.contextFile, await readBytes(resolve(folder, options.contextFile)));
}

async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (thrown) {
    const code = (thrown as { code?: unknown }).code;
    const reason = code === "ENOENT" ? "there is no such file" : String(code);
    throw usageError(`${path} can't be read: ${reason}.`);
  }
}

function parseContext(source: string, json: string | Uint8Array): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseStrictJson(json);
  } catch (thrown) {
    throw usageError(`${source}: ${toAppError(thrown).message}`);
  }
  if (isRecord(value)) return { ...value };
  throw usageError(`${source} must be a JSON object.`, `For example '{"customer": "ACME"}'.`);
}
