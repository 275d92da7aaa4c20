import { createHash } from "node:crypto";

/** What providers take for a tool's name. */
const charsMax = 64;
const hashChars = 8;

/**
 * What the model calls a tool of a server by: `<entry>__<tool>`. A name that has to be changed for that, because it is too
 * long or has other characters, ends in a hash of what it was: the same tool always has the same name, and no two have one.
 */
export function modelName(entry: string, tool: string): string {
  const name = `${entry}__${tool}`;
  return /^[A-Za-z0-9_-]+$/.test(tool) && name.length <= charsMax ? name : hashedName(entry, tool);
}

/** The name for a tool whose own is taken in this agent. */
export function hashedName(entry: string, tool: string): string {
  const plain = `${entry}__${tool}`.replaceAll(/[^A-Za-z0-9_-]/gu, "_");
  const hash = createHash("sha256")
    .update(JSON.stringify([entry, tool]))
    .digest("hex");
  return `${plain.slice(0, charsMax - hashChars - 1)}_${hash.slice(0, hashChars)}`;
}
