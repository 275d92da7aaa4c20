import type { Scalar } from "./vector-filter.ts";

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
    } else if (isObject(value))
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
  return isObject(value) ? [value] : [];
}

/** Returns true if filters can compare the value. */
export const isScalar = (value: unknown): value is Scalar =>
  typeof value === "string" ||
  typeof value === "boolean" ||
  (typeof value === "number" && Number.isFinite(value));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
