import { type MarkCondition, markConditions, unmarkedToken } from "../row-marks.ts";
import type { VectorFilter } from "../vector-filter.ts";
import type { RowSelection } from "../vector-store.ts";

/** Chroma's condition on metadata; undefined: every row. */
export type Where = Readonly<Record<string, unknown>> | undefined;

/** What a search may see; a filter is met coarsely. */
export function visibleWhere(filter: VectorFilter | undefined, exceptWrites: readonly string[] = []): Where {
  return allOf([
    ...(exceptWrites.length === 0 ? [] : [{ write: { $nin: exceptWrites } }]),
    ...(filter ? markConditions(filter).flatMap(markWhere) : []),
  ]);
}

/** What a selection names besides ids; a filter is met coarsely. */
export function selectionWhere({ group, writes, filter }: RowSelection): Where {
  return allOf([
    ...(group === undefined ? [] : [{ group: { $eq: group } }]),
    ...(writes === undefined ? [] : [{ write: { $in: writes } }]),
    ...(filter ? markConditions(filter).flatMap(markWhere) : []),
  ]);
}

/** Chroma has one value under a key, so a token is a key of its own. */
export const tokenKey = (token: string) => `token:${token}`;

/** The key of a number, and that of rows that have several there. */
export const orderKey = (order: string) => `order:${order}`;
export const severalKey = (order: string) => `several:${order}`;

/** A longer choice is not asked for: Chroma may refuse so deep a condition. */
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
