import { isRecord } from "../../../kit/json/is-record.ts";
import { compareTexts } from "../compare-texts.ts";

/** Types of metadata values that can be compared. */
export type Scalar = string | number | boolean;

/**
 * Conditions on a row's metadata that must all hold, by key; a dot separates the keys of nested objects. A row without the key, or with a
 * value of another type, doesn't pass. A list passes if one of its members does.
 */
export type VectorFilter = Readonly<Record<string, FieldCondition>>;

/** Texts and numbers can be ordered (texts by code point), booleans only compared for equality. */
export type FieldCondition =
  | { eq: Scalar }
  | { in: readonly Scalar[] }
  | { gt?: string | number; gte?: string | number; lt?: string | number; lte?: string | number };

/**
 * Returns true if a row with this metadata passes; every store's own filter must agree with this. A single value must meet all bounds of a
 * condition.
 */
export function matchesFilter(metadata: Readonly<Record<string, unknown>>, filter: VectorFilter): boolean {
  return Object.entries(filter).every(([name, condition]) =>
    leavesAt(metadata, name).some((value) => meets(value, condition)),
  );
}

function meets(value: Scalar, condition: FieldCondition): boolean {
  if ("eq" in condition) return value === condition.eq;
  if ("in" in condition) return condition.in.includes(value);
  const bounds = boundsOf(condition);
  return bounds.length > 0 && bounds.every(([kind, bound]) => isWithin(value, kind, bound));
}

export type BoundKind = "gt" | "gte" | "lt" | "lte";

/** The bounds in a range. */
export function boundsOf(
  range: Exclude<FieldCondition, { eq: Scalar } | { in: readonly Scalar[] }>,
): [BoundKind, string | number][] {
  const kinds: readonly BoundKind[] = ["gt", "gte", "lt", "lte"];
  return kinds.flatMap((kind): [BoundKind, string | number][] => {
    const bound = range[kind];
    return bound === undefined ? [] : [[kind, bound]];
  });
}

function isWithin(value: Scalar, kind: BoundKind, bound: string | number): boolean {
  const order = orderOf(value, bound);
  if (order === undefined) return false;
  if (kind === "gt") return order > 0;
  if (kind === "gte") return order >= 0;
  return kind === "lt" ? order < 0 : order <= 0;
}

function orderOf(value: Scalar, bound: string | number): number | undefined {
  if (typeof value === "string" && typeof bound === "string") return compareTexts(value, bound);
  if (typeof value === "number" && typeof bound === "number")
    return value < bound ? -1 : Number(value > bound);
  return undefined;
}

/**
 * All values of a row that filters can test, by name. Names of nested objects are joined by dots, list members at any depth are included,
 * and null counts as absent.
 */
export function metadataLeaves(metadata: Readonly<Record<string, unknown>>): Map<string, Scalar[]> {
  const leaves = new Map<string, Scalar[]>();
  const add = (name: string, value: unknown) => {
    if (Array.isArray(value)) for (const member of value) add(name, member);
    else if (isScalar(value)) {
      const values = leaves.get(name);
      if (values) values.push(value);
      else leaves.set(name, [value]);
    } else if (isRecord(value))
      for (const [key, member] of Object.entries(value)) add(`${name}.${key}`, member);
  };
  for (const [key, value] of Object.entries(metadata)) add(key, value);
  return leaves;
}

/** The values of `name` in `metadataLeaves`, without visiting the rest. */
export function leavesAt(metadata: Readonly<Record<string, unknown>>, name: string): Scalar[] {
  const found: Scalar[] = [];
  collect(metadata, name, found);
  return found;
}

/** A key may contain dots: `{"a.b": 1}` and `{a: {b: 1}}` both have `a.b`. */
function collect(object: Readonly<Record<string, unknown>>, name: string, found: Scalar[]): void {
  if (Object.hasOwn(object, name)) scalarsOf(object[name], found);
  for (let dot = name.indexOf("."); dot !== -1; dot = name.indexOf(".", dot + 1)) {
    const key = name.slice(0, dot);
    if (!Object.hasOwn(object, key)) continue;
    for (const nested of objectsOf(object[key])) collect(nested, name.slice(dot + 1), found);
  }
}

function scalarsOf(value: unknown, found: Scalar[]): void {
  if (Array.isArray(value)) for (const member of value) scalarsOf(member, found);
  else if (isScalar(value)) found.push(value);
}

function objectsOf(value: unknown): Readonly<Record<string, unknown>>[] {
  if (Array.isArray(value)) return value.flatMap(objectsOf);
  return isRecord(value) ? [value] : [];
}

/** Returns true if filters can compare the value. */
export const isScalar = (value: unknown): value is Scalar =>
  typeof value === "string" ||
  typeof value === "boolean" ||
  (typeof value === "number" && Number.isFinite(value));
