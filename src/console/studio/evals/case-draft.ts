import { isRecord } from "../../parts/is-record.ts";
/** Kinds of checks that a form asks for as one text. */
export const textChecks = ["contains", "not_contains", "equals", "regex", "not_regex"] as const;
export type TextCheck = (typeof textChecks)[number];

/** A check of one text. `key` identifies its row. */
export interface CheckDraft {
  key: number;
  kind: TextCheck;
  text: string;
}

/** A case in a form: the usual fields, and everything else as JSON. */
export interface CaseDraft {
  id: string;
  query: string;
  expected: string;
  tags: string[];
  checks: CheckDraft[];
  more: string;
}

/** Returns the form of a case. */
export function draftOf(one: Readonly<Record<string, unknown>>): CaseDraft {
  const { id, query, expected, tags, checks, ...others } = one;
  const entries = Array.isArray(checks) ? (checks as Record<string, unknown>[]) : [];
  const simple: CheckDraft[] = [];
  const rest: unknown[] = [];
  for (const entry of entries) {
    const kind = textChecks.find((name) => typeof entry[name] === "string");
    if (kind !== undefined && Object.keys(entry).length === 1)
      simple.push({ key: simple.length, kind, text: String(entry[kind]) });
    else rest.push(entry);
  }
  const kept = Object.fromEntries(
    Object.entries({ ...others, ...(rest.length > 0 && { checks: rest }) }).filter(
      ([, value]) => !(Array.isArray(value) && value.length === 0),
    ),
  );
  return {
    id: typeof id === "string" ? id : "",
    query: typeof query === "string" ? query : "",
    expected: typeof expected === "string" ? expected : "",
    tags: Array.isArray(tags) ? tags.map(String) : [],
    checks: simple,
    more: Object.keys(kept).length === 0 ? "" : JSON.stringify(kept, null, 2),
  };
}

/** Returns the case of a form; undefined if its JSON can't be read. */
export function caseOf({
  id,
  query,
  expected,
  tags,
  checks,
  more,
}: CaseDraft): Record<string, unknown> | undefined {
  const others = readObject(more);
  if (others === undefined) return undefined;
  const listed = Array.isArray(others.checks) ? others.checks : [];
  const all = [...entriesOf(checks), ...listed];
  return {
    ...others,
    ...(id.trim() !== "" && { id: id.trim() }),
    ...(query !== "" && { query }),
    ...(expected !== "" && { expected }),
    ...(tags.length > 0 && { tags }),
    ...(all.length > 0 && { checks: all }),
  };
}

/** The checks of a form, as a file has them. */
export const entriesOf = (checks: readonly CheckDraft[]): Record<string, unknown>[] =>
  checks.flatMap(({ kind, text }) => (text === "" ? [] : [{ [kind]: text }]));

function readObject(text: string): Record<string, unknown> | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
