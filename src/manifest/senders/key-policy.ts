import type { Problem } from "../../kit/app-error.ts";
import { isRecord } from "../../kit/json/is-record.ts";
import type { SenderTerms, TenantTerms } from "./policy-terms.ts";
import { isOwnSetting } from "./sender.ts";

/**
 * The kinds of things a key can name. `switch` is a choice that opens something. `secret` is a secret of the sender's own.
 * `name` is resolved among what the daemon, or the tenant, has loaded. `nothing` reaches nothing outside the manifest.
 */
export type Named =
  | "path"
  | "address"
  | "variable"
  | "program"
  | "connection"
  | "secret"
  | "switch"
  | "name"
  | "nothing";

/** A key's value and the object that contains it. */
export interface KeyPlace {
  value: unknown;
  holder: Readonly<Record<string, unknown>>;
}

/** Returns the fault of a value at a key as the end of a sentence, or undefined. `beside` moves the fault to a neighbouring key. */
export type KeyRule<Terms> = (
  place: KeyPlace,
  terms: Terms,
) => string | { beside: string; message: string } | undefined;

/** One key of a schema: what it names, and the rules for each class of sender. The operator's files have no such rules. */
export interface KeyRow {
  /**
   * Segments separated by dots; `*` matches any characters of one key. An element of a list is `[]`, or `[type]` or `[type:name]` if it has
   * a `type`.
   */
  key: string;
  names: Named;
  owner?: KeyRule<undefined>;
  stranger?: KeyRule<SenderTerms>;
  tenant?: KeyRule<TenantTerms>;
}

/** Rows of a policy, with a lookup by key. */
export interface KeyTable {
  rows: readonly KeyRow[];
  find(segments: readonly string[]): KeyRow | undefined;
}

/** Creates a table of rows; the first row that matches a key counts. */
export function keyTable(rows: readonly KeyRow[]): KeyTable {
  const compiled = rows.map((row) => ({ row, segments: keyMatchers(row.key) }));
  return {
    rows,
    find: (asked) =>
      compiled.find(
        ({ segments }) =>
          segments.length === asked.length &&
          segments.every((isMatch, index) => isMatch(asked[index] as string)),
      )?.row,
  };
}

/**
 * Returns a matcher for each segment of a key. Names in tool segments may contain dots and brackets; only dots outside of brackets
 * separate segments.
 */
export const keyMatchers = (key: string) => (key.match(/\[[^\]]*\]|[^.]+/g) ?? []).map(matcherOf);

function matcherOf(segment: string): (asked: string) => boolean {
  if (!segment.includes("*")) return (asked) => asked === segment;
  const [before = "", after = ""] = segment.split("*");
  return (asked) =>
    asked.length >= before.length + after.length && asked.startsWith(before) && asked.endsWith(after);
}

/** Returns the segment of a list's element; tools that are part of Argosy are distinguished by name. */
export function elementSegment(element: unknown): string {
  if (!isRecord(element) || typeof element.type !== "string") return "[]";
  const isNamed = element.type === "builtin" || element.type === "internal";
  return isNamed ? `[${element.type}:${String(element.name)}]` : `[${element.type}]`;
}

/** Returns all problems of a manifest's keys under the rules for its sender, in the manifest's order. */
export function policyProblems(
  table: KeyTable,
  document: unknown,
  by:
    | { sender: "owner" }
    | { sender: "stranger"; terms: SenderTerms }
    | { sender: "tenant"; terms: TenantTerms },
): Problem[] {
  const problems: Problem[] = [];
  const judge = (row: KeyRow, place: KeyPlace) => {
    if (by.sender === "owner") return row.owner?.(place, undefined);
    return by.sender === "tenant" ? row.tenant?.(place, by.terms) : row.stranger?.(place, by.terms);
  };
  const visit = (place: KeyPlace, segments: readonly string[], path: string, at: string) => {
    const row = table.find(segments);
    const verdict = row && judge(row, place);
    if (typeof verdict === "string") problems.push({ path, message: verdict });
    else if (verdict) problems.push({ path: `${at}.${verdict.beside}`, message: verdict.message });
    if (row?.names === "nothing") return;
    const { value } = place;
    if (Array.isArray(value)) {
      for (const [index, element] of value.entries()) {
        const inner = `${path}[${index}]`;
        visit({ value: element, holder: place.holder }, [...segments, elementSegment(element)], inner, at);
      }
    } else if (isRecord(value)) {
      for (const [key, item] of Object.entries(value)) {
        const inner = path === "" ? key : `${path}.${key}`;
        visit({ value: item, holder: value }, [...segments, key], inner, path);
      }
    }
  };
  visit({ value: document, holder: {} }, [], "", "");
  return problems;
}

/** Returns true if a value differs from an empty default: defaults are filled in before the rules run. */
export function isSet(value: unknown): boolean {
  if (value === undefined || value === false) return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isRecord(value) || Object.keys(value).length > 0;
}

/** Refuses any value that is set. */
export const never =
  (message: string): KeyRule<unknown> =>
  ({ value }) =>
    isSet(value) ? message : undefined;

/** Accepts every value; written out where a reader expects a rule. */
export const open: KeyRule<unknown> = () => undefined;

/** Ends the messages about rights that only the owner has. */
export const ownersOnly = "only files of the operator, and this machine's owner, may do that";

/** Rule for keys that name a variable: a setting of Argosy is never a provider's key, for any sender. */
export const noOwnSetting: KeyRule<unknown> = ({ value }) =>
  typeof value === "string" && isOwnSetting(value)
    ? `names ${value}, which is a setting of Argosy; name the variable of the provider's key`
    : undefined;
