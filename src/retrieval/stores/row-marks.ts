import { createHash } from "node:crypto";
import {
  boundsOf,
  type FieldCondition,
  metadataLeaves,
  type Scalar,
  type VectorFilter,
} from "./filters/vector-filter.ts";

/**
 * Data stored with a row's metadata for servers that can compare only short texts and whole numbers. With marks, a server excludes most
 * rows that fail a filter and none that pass; its results are then checked with `matchesFilter`.
 */
export interface RowMarks {
  /** One for each value of a name. */
  tokens: string[];
  /** Numbers by name and type that sort like the values; different values may have equal numbers. */
  orders: ReadonlyMap<string, number[]>;
}

/** Token of rows with too many values to mark: they pass every condition. */
export const unmarkedToken = "*";

const markedValuesMax = 256;

export function rowMarks(metadata: Readonly<Record<string, unknown>>): RowMarks {
  const tokens = new Set<string>();
  const orders = new Map<string, number[]>();
  for (const [name, values] of metadataLeaves(metadata)) {
    for (const value of values) {
      if (tokens.size >= markedValuesMax) return { tokens: [...tokens, unmarkedToken], orders };
      tokens.add(tokenOf(name, value));
      if (typeof value === "boolean") continue;
      const order = orderName(name, value);
      orders.set(order, [...(orders.get(order) ?? []), orderOf(value)]);
    }
  }
  return { tokens: [...tokens], orders };
}

/** Condition on a row's marks: one of the tokens, or a number between the bounds; `unmarkedToken` meets both. */
export type MarkCondition = { tokens: string[] } | { order: string; min?: number; max?: number };

/** Conditions that every row passing the filter meets. */
export function markConditions(filter: VectorFilter): MarkCondition[] {
  return Object.entries(filter).map(([name, condition]) => markCondition(name, condition));
}

function markCondition(name: string, condition: FieldCondition): MarkCondition {
  if ("eq" in condition) return { tokens: [tokenOf(name, condition.eq)] };
  if ("in" in condition) return { tokens: condition.in.map((value) => tokenOf(name, value)) };
  const bounds = boundsOf(condition);
  const first = bounds[0]?.[1];
  const types = new Set(bounds.map(([, bound]) => typeof bound));
  // No value is both a text and a number.
  if (first === undefined || types.size > 1) return { tokens: [] };
  const limits = (kinds: readonly string[]) =>
    bounds.filter(([kind]) => kinds.includes(kind)).map(([, bound]) => orderOf(bound));
  const lowest = limits(["gt", "gte"]);
  const highest = limits(["lt", "lte"]);
  return {
    order: orderName(name, first),
    ...(lowest.length > 0 && { min: Math.max(...lowest) }),
    ...(highest.length > 0 && { max: Math.min(...highest) }),
  };
}

const tokenOf = (name: string, value: Scalar) => hashOf(JSON.stringify([name, value]), 20);

const orderName = (name: string, value: string | number) =>
  `${typeof value === "number" ? "n" : "t"}_${hashOf(JSON.stringify(name), 16)}`;

const hashOf = (text: string, characters: number) =>
  createHash("sha256").update(text).digest("hex").slice(0, characters);

/** A whole number below 2^52; the number of a larger value is never smaller. */
const orderOf = (value: string | number) =>
  typeof value === "number" ? orderOfNumber(value) : orderOfText(value);

/** The first 52 bits of its IEEE 754 form, changed so that negative ones sort first. */
function orderOfNumber(value: number): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value + 0);
  const isNegative = view.getUint8(0) >= 0x80;
  const high = isNegative ? ~view.getUint32(0) >>> 0 : (view.getUint32(0) ^ 0x8000_0000) >>> 0;
  const low = isNegative ? ~view.getUint32(4) >>> 0 : view.getUint32(4);
  return high * 2 ** 20 + (low >>> 12);
}

/** Its first six bytes of UTF-8, which sort like code points. */
function orderOfText(value: string): number {
  const bytes = new Uint8Array(6);
  // Six bytes contain at most six characters.
  bytes.set(new TextEncoder().encode([...value.slice(0, 8)].join("").toWellFormed()).subarray(0, 6));
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0);
}
