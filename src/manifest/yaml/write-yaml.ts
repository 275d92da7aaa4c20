import { countSteps, type Work } from "../../kit/concurrency/others-turn.ts";

/** Texts that stand for another value, here or for other readers. */
const reserved = new Set(["null", "true", "false", "yes", "no", "on", "off", "y", "n"]);
const plain = /^\p{L}[\p{L}\p{N} _.,;()/+=%'-]*$/u;
/** Longer ones are not keys for a reader of YAML unless `? ` is before them. */
const keyCharsMax = 1000;
const stepsPerValue = 20;

/**
 * Writes a JSON value as YAML, as work in pieces: a mapping or list has a line for each entry, a text of several lines is a block.
 * `readYaml` reads the same value from it.
 */
export function* writeYaml(value: unknown): Work<string> {
  const out: string[] = [];
  yield* writeNode(value, "", "", out);
  return out.join("");
}

/** Writes a value, whose first line follows `before` and whose other lines begin with `indent`. */
function* writeNode(value: unknown, before: string, indent: string, out: string[]): Work<void> {
  if (typeof value !== "object" || value === null) {
    const text = typeof value === "string" ? textOf(value, indent) : (JSON.stringify(value) ?? "null");
    out.push(`${before}${text}\n`);
    if (countSteps(stepsPerValue + text.length)) yield;
    return;
  }
  const entries = Array.isArray(value) ? value.map((item) => ["- ", item] as const) : fieldsOf(value, indent);
  if (entries.length === 0) {
    out.push(`${before}${Array.isArray(value) ? "[]" : "{}"}\n`);
    return;
  }
  for (const [at, [head, item]] of entries.entries()) {
    const start = `${at === 0 ? before : indent}${head}`;
    const isOpen = typeof item === "object" && item !== null && Object.keys(item).length > 0;
    if (Array.isArray(value)) yield* writeNode(item, start, `${indent}  `, out);
    else if (isOpen) yield* writeNode(item, `${start.trimEnd()}\n${indent}  `, `${indent}  `, out);
    else yield* writeNode(item, start, indent, out);
    if (countSteps(stepsPerValue + head.length)) yield;
  }
}

function fieldsOf(value: object, indent: string): (readonly [head: string, item: unknown])[] {
  return Object.entries(value).flatMap(([name, item]) => {
    if (item === undefined) return [];
    const key = isPlain(name) ? name : JSON.stringify(name);
    return [[key.length <= keyCharsMax ? `${key}: ` : `? ${key}\n${indent}: `, item] as const];
  });
}

function isPlain(text: string): boolean {
  return plain.test(text) && !text.endsWith(" ") && !reserved.has(text.toLowerCase());
}

function textOf(text: string, indent: string): string {
  if (isPlain(text)) return text;
  return asBlock(text, indent) ?? JSON.stringify(text);
}

/** Lines without control characters, of which the first neither is empty nor begins with white space. */
const blockLines =
  /^[^\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}][^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*(?:\n+[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+)*\n?$/u;

function asBlock(text: string, indent: string): string | undefined {
  if (!text.includes("\n") || !blockLines.test(text)) return undefined;
  const lines = text.endsWith("\n") ? text.slice(0, -1) : text;
  const start = text.endsWith("\n") ? "|" : "|-";
  return `${start}\n${lines.replace(/^(?=.)/gm, `${indent}  `)}`;
}
