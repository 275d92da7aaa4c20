/**
 * A text as LanceDB's SQL writes it: everything between the quotes is taken as it is, backslashes and NUL too, and only a quote
 * must be doubled. Half of a surrogate pair, which UTF-8 doesn't have, becomes U+FFFD, as it does in the table.
 */
export function sqlLiteral(text: string): string {
  return `'${text.toWellFormed().replaceAll("'", "''")}'`;
}

/** `column IN (…)`; no row for no values. */
export function sqlIn(column: string, values: readonly string[]): string {
  return values.length === 0 ? "false" : `${column} IN (${values.map(sqlLiteral).join(", ")})`;
}

/** All conditions at once; undefined for none. */
export function sqlAll(conditions: readonly (string | undefined)[]): string | undefined {
  const named = conditions.filter((condition) => condition !== undefined);
  return named.length === 0 ? undefined : named.map((condition) => `(${condition})`).join(" AND ");
}
