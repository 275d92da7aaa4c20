import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../kit/app-error.ts";
import { type LoadedEval, type LoadedVariant, loadEval } from "../dataset/load-eval.ts";

/** Largest eval file or dataset, in bytes. */
const textBytesMax = 64 * 1024 * 1024;

/** Paths of the evals of a workspace, in a fixed order. */
export function evalFiles(workspace: string): string[] {
  const folder = join(workspace, "evals");
  if (!existsSync(folder)) return [];
  return [...new Bun.Glob("**/*.eval.{yaml,yml}").scanSync({ cwd: folder })]
    .filter((name) => !name.split("/").includes("node_modules"))
    .sort()
    .map((name) => join(folder, name));
}

/** Reads the eval at `path`; `shown` is the path as the user typed it. Throws as `loadEval`, and `usage` for an unreadable file. */
export function readEval(
  path: string,
  shown: string,
  {
    judgeModel,
    variants,
  }: { judgeModel?: string | undefined; variants?: readonly LoadedVariant[] | undefined },
): Promise<LoadedEval> {
  return loadEval(path, shown, readRegularFile, { judgeModel, variants });
}

/** A service reads files that a request names: a device or a pipe might never end. */
async function readRegularFile(path: string): Promise<string> {
  const status = await stat(path).catch(() => undefined);
  if (status?.isFile() === false) throw unreadable(path, "is not a regular file");
  if (status !== undefined && status.size > textBytesMax) throw tooLarge(path);
  return readEvalText(path);
}

/** Reads an eval file, dataset or prompt as text. */
export async function readEvalText(path: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (thrown) {
    const code = (thrown as { code?: unknown }).code;
    throw unreadable(path, code === "ENOENT" ? "does not exist" : `can't be read (${String(code)})`);
  }
  if (bytes.length > textBytesMax) throw tooLarge(path);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw unreadable(path, "is not valid UTF-8");
  }
}

const tooLarge = (path: string) => unreadable(path, `has more than ${textBytesMax / 1024 / 1024} MiB`);

function unreadable(path: string, reason: string): AppError {
  return new AppError("invalid", "usage", `${path} ${reason}.`);
}
