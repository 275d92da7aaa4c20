import { boundsOf, type FieldCondition, type Scalar, type VectorFilter } from "../filters/vector-filter.ts";
import type { RowSelection } from "../vector-store.ts";
import { toPostgresText } from "./postgres-text.ts";

/** Parameter values of a statement; each is referenced by its number and cast in place. */
export class Parameters {
  readonly values: string[] = [];

  /** Adds a text and returns its reference. */
  text(value: string): string {
    this.values.push(toPostgresText(value));
    return `$${this.values.length}::text`;
  }

  /** Adds a value as JSON and returns its reference. */
  json(value: unknown): string {
    return `${this.text(JSON.stringify(value))}::jsonb`;
  }

  /** Adds a list of texts and returns its reference. */
  texts(values: readonly string[]): string {
    return `(select jsonb_array_elements_text(${this.json(values.map(toPostgresText))}))`;
  }
}

/** `and …` for each condition of a selection. */
export function selectionSql(what: RowSelection, parameters: Parameters): string {
  const { ids, group, writes, filter } = what;
  return [
    ids === undefined ? "" : ` and id in ${parameters.texts(ids)}`,
    group === undefined ? "" : ` and group_id = ${parameters.text(group)}`,
    writes === undefined ? "" : ` and write_id in ${parameters.texts(writes)}`,
    filter === undefined ? "" : filterSql(filter, parameters),
  ].join("");
}

/** `and …` for the rows that a search may return. */
export function visibleSql(
  {
    filter,
    exceptWrites = [],
  }: { filter?: VectorFilter | undefined; exceptWrites?: readonly string[] | undefined },
  parameters: Parameters,
): string {
  const except = exceptWrites.length === 0 ? "" : ` and write_id not in ${parameters.texts(exceptWrites)}`;
  return except + (filter === undefined ? "" : filterSql(filter, parameters));
}

/** Tests `leaves`: an object with the list of values for each name, so that a name is looked up literally. */
function filterSql(filter: VectorFilter, parameters: Parameters): string {
  return Object.entries(filter)
    .map(([name, condition]) => ` and ${conditionSql(toPostgresText(name), condition, parameters)}`)
    .join("");
}

function conditionSql(name: string, condition: FieldCondition, parameters: Parameters): string {
  const holds = (value: Scalar) => `leaves @> ${parameters.json({ [name]: [leafValue(value)] })}`;
  if ("eq" in condition) return holds(condition.eq);
  if ("in" in condition)
    return condition.in.length === 0 ? "false" : `(${condition.in.map(holds).join(" or ")})`;
  const bounds = boundsOf(condition);
  if (bounds.length === 0) return "false";
  const variables = Object.fromEntries(bounds.map(([kind, bound]) => [kind, leafValue(bound)]));
  const tests = bounds.map(([kind]) => `@ ${operators[kind]} $${kind}`).join(" && ");
  // Paths compare texts by code point, independent of the database's locale.
  const path = parameters.text(`strict $.${JSON.stringify(name)}[*] ? (${tests})`);
  return `jsonb_path_exists(leaves, ${path}::jsonpath, ${parameters.json(variables)}, true)`;
}

const operators = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

/** A value in the encoding of `leaves`. */
export const leafValue = (value: Scalar): Scalar =>
  typeof value === "string" ? toPostgresText(value) : value;
