import type { VectorFilter } from "../filters/vector-filter.ts";
import { type MarkCondition, markConditions, unmarkedToken } from "../row-marks.ts";
import type { RowSelection } from "../vector-store.ts";

/** Condition on metadata in Chroma; undefined: every row. */
export type Where = Readonly<Record<string, unknown>> | undefined;

/** Rows that a search may return; a filter is applied coarsely. */
export function visibleWhere(filter: VectorFilter | undefined, exceptWrites: readonly string[] = []): Where {
  return allOf([
    ...(exceptWrites.length === 0 ? [] : [{ write: { $nin: exceptWrites } }]),
    ...(filter ? markConditions(filter).flatMap(markWhere) : []),
  ]);
}

/** Rows of a selection except for its ids; a filter is applied coarsely. */
export function selectionWhere({ group, writes, filter }: RowSelection): Where {
  return allOf([
    ...(group === undefined ? [] : [{ group: { $eq: group } }]),
    ...(writes === undefined ? [] : [{ write: { $in: writes } }]),
    ...(filter ? markConditions(filter).flatMap(markWhere) : []),
  ]);
}

/** Each token is a separate key, because Chroma stores one value per key. */
export const tokenKey = (token: string) => `token:${token}`;

/** Key of a number, and key for rows with several numbers there. */
export const orderKey = (order: string) => `order:${order}`;
export const severalKey = (order: string) => `several:${order}`;

/** A longer choice is left out of the condition, because Chroma may refuse one so deep. */
const tokensMax = 64;

function markWhere(condition: MarkCondition): NonNullable<Where>[] {
  const unmarked = { [tokenKey(unmarkedToken)]: 1 };
  if ("tokens" in condition) {
    if (condition.tokens.length > tokensMax) return [];
    return [{ $or: [...condition.tokens.map((token) => ({ [tokenKey(token)]: 1 })), unmarked] }];
  }
  const { order, min, max } = condition;
  const within = allOf([
    ...(min === undefined ? [] : [{ [orderKey(order)]: { $gte: min } }]),
    ...(max === undefined ? [] : [{ [orderKey(order)]: { $lte: max } }]),
  ]);
  return [{ $or: [...(within ? [within] : []), { [severalKey(order)]: 1 }, unmarked] }];
}

function allOf(conditions: readonly NonNullable<Where>[]): Where {
  return conditions.length > 1 ? { $and: conditions } : conditions[0];
}
