import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isRecord } from "../../../kit/json/is-record.ts";
import { didYouMean } from "../../../kit/text/did-you-mean.ts";
import type { LoadedOwnTool, LoadFault } from "./own-tool-lines.ts";

const keys = ["name", "description", "parameters", "writes", "execute"];
const programBytesMax = 8 * 1024 * 1024;

/** Bundles a tool's file and its imports, runs its top level and reads its declaration. */
export async function loadOwnTool(file: string): Promise<LoadedOwnTool | { fault: LoadFault }> {
  const built = await Bun.build({
    entrypoints: [file],
    target: "bun",
    format: "esm",
    // Positions in stack traces refer to the source file.
    sourcemap: "inline",
    metafile: true,
    throw: false,
  });
  const [output] = built.outputs;
  if (!built.success || output === undefined) return { fault: buildFault(built.logs) };
  const program = await output.text();
  if (program.length > programBytesMax) {
    return { fault: { message: "is longer than 8 MiB with all that it imports; import less" } };
  }
  let exported: unknown;
  try {
    exported = await importProgram(program);
  } catch (thrown) {
    return { fault: thrownFault(thrown, file) };
  }
  const line = lineOfExport(file);
  const declared = readDeclaration(exported);
  if (typeof declared === "string") return { fault: { message: declared, line } };
  const inputs = Object.keys(built.metafile?.inputs ?? {}).map((path) => resolve(path));
  return { program, inputs, declared, line };
}

/** Default export of a program. */
export async function importProgram(program: string): Promise<unknown> {
  const url = URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
  try {
    const { default: exported } = await import(url);
    return exported;
  } finally {
    URL.revokeObjectURL(url);
  }
}

function buildFault(logs: readonly (BuildMessage | ResolveMessage)[]): LoadFault {
  const first = logs.find(({ level }) => level === "error") ?? logs[0];
  if (first === undefined) return { message: "can't be read" };
  const { position } = first;
  return {
    message: first.message,
    ...(position?.file && { file: resolve(position.file) }),
    ...(position?.line && { line: position.line, column: position.column }),
  };
}

/** The error that a file threw while loading, with its position. */
function thrownFault(thrown: unknown, file: string): LoadFault {
  const message = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  const place = thrown instanceof Error ? placeIn(thrown.stack ?? "", file) : undefined;
  return { message: `failed while it was loaded: ${message}`, ...place };
}

/** The first position in a stack trace that is in the file; its folder may be relative to any other. */
function placeIn(stack: string, file: string): { line: number; column: number } | undefined {
  const name = file.split("/").at(-1) ?? file;
  for (const [, path = "", line, column] of stack.matchAll(/([^\s()]+):(\d+):(\d+)/g)) {
    if (path === name || path.endsWith(`/${name}`)) return { line: Number(line), column: Number(column) };
  }
  return undefined;
}

function lineOfExport(file: string): number {
  const lines = readFileSync(file, "utf8").split("\n");
  const at = lines.findIndex((line) => /\bexport\s+default\b|\bas\s+default\b|module\.exports/.test(line));
  return at === -1 ? 1 : at + 1;
}

/** The declaration in a default export, or the problem with it. */
function readDeclaration(exported: unknown): LoadedOwnTool["declared"] | string {
  if (!isRecord(exported))
    return "has no default export that is an object with name, description, parameters and execute";
  const unknown = Object.keys(exported).find((key) => !keys.includes(key));
  if (unknown !== undefined) {
    const near = didYouMean(unknown, keys);
    return `has an unknown key ${unknown}; ${near ? `did you mean ${near}?` : `there are ${keys.join(", ")}`}`;
  }
  const { name, description, parameters, writes = false, execute } = exported;
  if (typeof name !== "string" || !/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    return `has a name that is not 1 to 64 letters, digits, _ and -: ${JSON.stringify(name) ?? "none"}`;
  }
  if (typeof description !== "string" || description.trim() === "" || description.length > 4096) {
    return "needs a description: text of 1 to 4096 characters that tells the model what the tool does";
  }
  if (!isRecord(parameters) || parameters.type !== "object") {
    return 'needs parameters: a JSON Schema with type "object"';
  }
  if (typeof writes !== "boolean") return "has writes that is neither true nor false";
  if (typeof execute !== "function") return "needs execute: a function of the input and the context";
  return { name, description, parameters, writes };
}
