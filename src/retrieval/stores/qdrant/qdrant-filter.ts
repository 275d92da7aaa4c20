import type { VectorFilter } from "../filters/vector-filter.ts";
import { type MarkCondition, markConditions, unmarkedToken } from "../row-marks.ts";
import type { RowSelection } from "../vector-store.ts";
import { pointId } from "./qdrant-point.ts";

type Clause = Readonly<Record<string, unknown>>;

/** Filter in Qdrant; undefined: every point. */
export interface QdrantFilter {
  must?: Clause[];
  must_not?: Clause[];
}

/** Points that a search may return; a filter on metadata is applied coarsely. */
export function visiblePoints(
  filter: VectorFilter | undefined,
  exceptWrites: readonly string[] = [],
): QdrantFilter | undefined {
  return filterOf(
    filter ? markClauses(filter) : [],
    exceptWrites.length === 0 ? [] : [anyOf("write", exceptWrites)],
  );
}

/** Points of a selection; a filter on metadata is applied coarsely. */
export function selectedPoints({ ids, group, writes, filter }: RowSelection): QdrantFilter | undefined {
  return filterOf([
    ...(ids === undefined ? [] : [{ has_id: ids.map(pointId) }]),
    ...(group === undefined ? [] : [{ key: "group", match: { value: group } }]),
    ...(writes === undefined ? [] : [anyOf("write", writes)]),
    ...(filter === undefined ? [] : markClauses(filter)),
  ]);
}

/** Number fields that a filter compares: each needs an index. */
export function comparedFields(filter: VectorFilter | undefined): string[] {
  return markConditions(filter ?? {}).flatMap((condition) =>
    "order" in condition ? [orderField(condition.order)] : [],
  );
}

function filterOf(must: Clause[], mustNot: Clause[] = []): QdrantFilter | undefined {
  if (must.length === 0 && mustNot.length === 0) return undefined;
  return { ...(must.length > 0 && { must }), ...(mustNot.length > 0 && { must_not: mustNot }) };
}

const markClauses = (filter: VectorFilter) => markConditions(filter).map(markClause);

function markClause(condition: MarkCondition): Clause {
  if ("tokens" in condition) return anyOf("tokens", [...condition.tokens, unmarkedToken]);
  const { order, min, max } = condition;
  const range = { ...(min !== undefined && { gte: min }), ...(max !== undefined && { lte: max }) };
  return { should: [{ key: orderField(order), range }, anyOf("tokens", [unmarkedToken])] };
}

const anyOf = (key: string, values: readonly string[]): Clause => ({ key, match: { any: values } });

const orderField = (order: string) => `orders.${order}`;
