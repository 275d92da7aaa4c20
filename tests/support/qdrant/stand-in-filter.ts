import { fields, list, pointId, wrong } from "./read-body.ts";

export interface FilteredPoint {
  id: string | number;
  payload: Record<string, unknown>;
}

type Test = (point: FilteredPoint) => boolean;

/** Parses Qdrant's filter; calls `requireIndex` with each key that it uses. */
export function readFilter(value: unknown, requireIndex: (key: string) => void): Test {
  if (value === undefined || value === null) return () => true;
  const { must, should, must_not } = fields(value, [], ["must", "should", "must_not"]);
  const read = (conditions: unknown) =>
    conditions === undefined ? [] : list(conditions).map((one) => readCondition(one, requireIndex));
  const [all, some, none] = [read(must), read(should), read(must_not)];
  return (point) =>
    all.every((test) => test(point)) &&
    (some.length === 0 || some.some((test) => test(point))) &&
    !none.some((test) => test(point));
}

function readCondition(value: unknown, requireIndex: (key: string) => void): Test {
  const condition = fields(value, [], ["key", "match", "range", "has_id", "must", "should", "must_not"]);
  if ("has_id" in condition) {
    const ids = new Set(list(fields(value, ["has_id"]).has_id).map(pointId));
    return ({ id }) => ids.has(id);
  }
  if (!("key" in condition)) return readFilter(value, requireIndex);
  const { key } = condition;
  if (typeof key !== "string" || !/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/.test(key))
    throw wrong(`Invalid json path: '${key}'`);
  requireIndex(key);
  const test =
    "match" in condition
      ? matches(fields(value, ["key", "match"]).match)
      : within(fields(value, ["key", "range"]).range);
  return ({ payload }) => valuesAt(payload, key.split(".")).some(test);
}

function matches(value: unknown): (one: unknown) => boolean {
  const match = fields(value, [], ["value", "any"]);
  if ("value" in match) {
    requireKeyword(match.value);
    return (one) => one === match.value;
  }
  const any = list(match.any);
  any.forEach(requireKeyword);
  return (one) => any.includes(one);
}

function requireKeyword(value: unknown): void {
  const isFine = typeof value === "string" || typeof value === "boolean" || Number.isSafeInteger(value);
  if (!isFine) throw wrong("match takes a keyword, an integer or a bool");
}

function within(value: unknown): (one: unknown) => boolean {
  const range = fields(value, [], ["gt", "gte", "lt", "lte"]);
  for (const bound of Object.values(range)) if (typeof bound !== "number") throw wrong("range takes numbers");
  const { gt, gte, lt, lte } = range as Record<string, number | undefined>;
  return (one) =>
    typeof one === "number" &&
    (gt === undefined || one > gt) &&
    (gte === undefined || one >= gte) &&
    (lt === undefined || one < lt) &&
    (lte === undefined || one <= lte);
}

/** Returns the values at a path; a list counts as its members. */
function valuesAt(value: unknown, [key, ...rest]: readonly string[]): unknown[] {
  if (key === undefined) return Array.isArray(value) ? value : [value];
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return [];
  return valuesAt((value as Record<string, unknown>)[key], rest);
}
