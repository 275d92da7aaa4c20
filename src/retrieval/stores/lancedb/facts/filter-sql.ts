import {
  boundsOf,
  type FieldCondition,
  type Scalar,
  type VectorFilter,
} from "../../filters/vector-filter.ts";
import { sqlLiteral } from "../sql-literal.ts";
import { cutFactText, encodeFactNumber, factMarks } from "./fact-text.ts";
import { type Bound, rangePattern } from "./range-pattern.ts";
import { factStart, factValue } from "./row-facts.ts";

export interface FilterSql {
  /** True for every row that passes. */
  sql: string;
  /** True if it is false for all other rows. Otherwise the rows must be checked again. */
  isExact: boolean;
}

type Fact = Omit<FilterSql, "sql"> & { pattern: string };

/** Further conditions are left to the check of the rows, because LanceDB's planner recurses over them. */
const conditionsMax = 32;

/** A filter over metadata as a condition on the column `facts`; undefined for an empty filter. */
export function filterSql(filter: VectorFilter): FilterSql | undefined {
  const conditions = Object.entries(filter);
  if (conditions.length === 0) return undefined;
  const pushed = conditions
    .slice(0, conditionsMax)
    .map(([name, condition]) => conditionSql(factStart(name), condition));
  return {
    sql: pushed.map(({ sql }) => `(${sql})`).join(" AND "),
    isExact: conditions.length <= conditionsMax && pushed.every(({ isExact }) => isExact),
  };
}

function conditionSql(start: string, condition: FieldCondition): FilterSql {
  if ("eq" in condition) return anyOf(start, [condition.eq]);
  if ("in" in condition) return anyOf(start, condition.in);
  const fact = rangeFact(condition);
  if (fact === undefined) return { sql: "false", isExact: true };
  return { sql: matchesPattern(escapePattern(start) + fact.pattern), isExact: fact.isExact };
}

function anyOf(start: string, values: readonly Scalar[]): FilterSql {
  const comparable = values.filter((value) => typeof value !== "number" || Number.isFinite(value));
  const facts = [...new Set(comparable.map(factValue))];
  const isExact = !facts.some((fact) => fact.endsWith(factMarks.cut));
  if (facts.length === 0) return { sql: "false", isExact };
  // Searching for a part is about three times as fast as a regular expression.
  if (facts.length === 1) return { sql: `contains(facts, ${sqlLiteral(start + facts[0])})`, isExact };
  const pattern = `${escapePattern(start)}(?:${facts.map(escapePattern).join("|")})`;
  return { sql: matchesPattern(pattern), isExact };
}

/** Undefined if no value can be in the range. */
function rangeFact(condition: Exclude<FieldCondition, { eq: Scalar } | { in: readonly Scalar[] }>) {
  const bounds = boundsOf(condition);
  const types = new Set(bounds.map(([, bound]) => typeof bound));
  if (types.size !== 1 || bounds.some(([, bound]) => Number.isNaN(bound))) return undefined;
  const isText = types.has("string");
  const made = bounds.map(([kind, bound]) => ({ kind, ...madeBound(kind, bound) }));
  const lower = made.filter(({ kind }) => kind.startsWith("g"));
  const upper = made.filter(({ kind }) => kind.startsWith("l"));
  // Uses one of `gt` and `gte`; alone it may let more rows through, which are checked again.
  const [from, to] = [lower[0], upper[0]];
  const pattern = rangePattern({ from, to });
  if (pattern === undefined) return undefined;
  const fact: Fact = {
    pattern: (isText ? "s" : "n") + pattern,
    isExact: lower.length < 2 && upper.length < 2 && made.every(({ isExact }) => isExact),
  };
  return fact;
}

function madeBound(kind: string, bound: string | number): Bound & { isExact: boolean } {
  const inclusive = kind.endsWith("e");
  if (typeof bound === "number") return { characters: numberBound(kind, bound), inclusive, isExact: true };
  const { kept, isCut } = cutFactText(bound.toWellFormed());
  const characters = codePoints(kept);
  // Texts that begin like a cut bound may be on either side of it.
  return { characters, inclusive: inclusive || isCut, isCut, isExact: !isCut };
}

/** All numbers have the same number of digits, so zeros at a bound's end make no difference for `gte` and `lt`. */
function numberBound(kind: string, bound: number): number[] {
  const digits = encodeFactNumber(bound);
  return codePoints(kind === "gte" || kind === "lt" ? digits.replace(/0+$/, "") : digits);
}

const codePoints = (text: string) => Array.from(text, (character) => character.codePointAt(0) ?? 0);

const matchesPattern = (pattern: string) => `regexp_like(facts, ${sqlLiteral(pattern)})`;

/** Escapes a text for a pattern. */
function escapePattern(text: string): string {
  return Array.from(text, (character) => `\\x{${(character.codePointAt(0) ?? 0).toString(16)}}`).join("");
}
