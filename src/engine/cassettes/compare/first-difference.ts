import type { Difference } from "../../../contracts/daemon/cassettes/cassettes.ts";
import { isRecord } from "../../../kit/json/is-record.ts";
import { comparableText } from "../cassette-secrets.ts";
import { comparable } from "../request-key.ts";

/** Characters shown before and after the position at which two texts differ. */
const contextChars = 40;
const shownMax = 200;

/** The first difference between two JSON values, in the order of the expected one; undefined if they are equal. */
export function firstDifference(expected: unknown, got: unknown, path = ""): Difference | undefined {
  if (typeof expected === "string" && typeof got === "string") return textDifference(expected, got, path);
  if (Array.isArray(expected) && Array.isArray(got)) {
    for (let index = 0; index < Math.max(expected.length, got.length); index++) {
      const difference = firstDifference(expected[index], got[index], `${path}[${index}]`);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  if (isRecord(expected) && isRecord(got)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(got)])) {
      const difference = firstDifference(
        own(expected, key),
        own(got, key),
        path === "" ? key : `${path}.${key}`,
      );
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  if (comparable(expected) === comparable(got) && (expected === undefined) === (got === undefined))
    return undefined;
  return { path, expected: textOf(expected), got: textOf(got) };
}

function textDifference(expected: string, got: string, path: string): Difference | undefined {
  if (expected === got || comparableText(expected) === comparableText(got)) return undefined;
  let at = 0;
  while (at < expected.length && at < got.length && expected[at] === got[at]) at++;
  // Never splits a surrogate pair.
  if (at > 0 && /[\ud800-\udbff]/.test(expected[at - 1] ?? "")) at--;
  return { path, character: at + 1, expected: around(expected, at), got: around(got, at) };
}

function around(text: string, at: number): string {
  const from = Math.max(0, at - contextChars);
  const to = Math.min(text.length, at + contextChars);
  const start = from > 0 ? "…" : "";
  return `${start}${text.slice(from, to).toWellFormed()}${to < text.length ? "…" : ""}`;
}

function textOf(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > shownMax ? `${text.slice(0, shownMax).toWellFormed()}…` : text;
}

function own(object: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
