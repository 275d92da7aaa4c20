import { canonicalJson } from "../../../kit/json/canonical-json.ts";
import { isRecord } from "../../../kit/json/is-record.ts";

/*
 * What a cloud answers is more than what it was sent: defaults, times, states. A plan compares only what was sent, so that it is empty after
 * an apply, and shows what was changed by hand.
 */

/** Returns `actual`, limited to the keys that `sent` has at each level. A default value that the cloud leaves out counts as there. */
export function asSent(actual: unknown, sent: unknown): unknown {
  if (actual === undefined) return isDefault(sent) ? sent : undefined;
  if (Array.isArray(sent)) return Array.isArray(actual) ? elementsAsSent(actual, sent) : actual;
  if (!isRecord(sent) || !isRecord(actual)) return actual;
  const entries = Object.keys(sent).map((key) => [key, asSent(ownValue(actual, key), sent[key])] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Pairs elements by what names them, otherwise by place; elements that weren't sent stay as they are, at the end. */
function elementsAsSent(actual: readonly unknown[], sent: readonly unknown[]): unknown[] {
  const left = [...actual];
  const paired = sent.flatMap((one, index) => {
    const identity = identityOf(one);
    const at =
      identity === undefined
        ? left.length === sent.length - index
          ? 0
          : left.findIndex((other) => canonicalJson(other) === canonicalJson(one))
        : left.findIndex((other) => identityOf(other) === identity);
    if (at < 0) return [];
    const [entry] = left.splice(at, 1);
    return [asSent(entry, one)];
  });
  return [...paired, ...left];
}

function identityOf(element: unknown): string | undefined {
  if (!isRecord(element)) return undefined;
  for (const key of ["name", "promptType", "type", "text", "config_path"]) {
    const value = ownValue(element, key);
    if (typeof value === "string") return `${key}:${value}`;
  }
  return undefined;
}

/** Values that JSON of protocol buffers leaves out. */
const isDefault = (value: unknown): boolean =>
  value === 0 ||
  value === "" ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (isRecord(value) && Object.keys(value).length === 0);

const ownValue = (mapping: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(mapping, key) ? mapping[key] : undefined;
