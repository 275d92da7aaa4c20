import { createHash } from "node:crypto";

/** Maximum length of a tool's name at providers. */
const charsMax = 64;
const hashChars = 8;

/**
 * A server tool's name for the model: `<entry>__<tool>`. If it is too long or has invalid characters, it is changed and ends in a hash of
 * the original. So the same tool always has the same name, and names are unique.
 */
export function modelName(entry: string, tool: string): string {
  const name = `${entry}__${tool}`;
  return /^[A-Za-z0-9_-]+$/.test(tool) && name.length <= charsMax ? name : hashedName(entry, tool);
}

/** Name for a tool whose own name is taken in this agent. */
export function hashedName(entry: string, tool: string): string {
  const plain = `${entry}__${tool}`.replaceAll(/[^A-Za-z0-9_-]/gu, "_");
  const hash = createHash("sha256")
    .update(JSON.stringify([entry, tool]))
    .digest("hex");
  return `${plain.slice(0, charsMax - hashChars - 1)}_${hash.slice(0, hashChars)}`;
}
