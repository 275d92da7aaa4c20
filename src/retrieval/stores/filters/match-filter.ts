import { compareTexts } from "../compare-texts.ts";
import { leavesAt } from "./metadata-leaves.ts";
import type { FieldCondition, Scalar, VectorFilter } from "./vector-filter.ts";

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
