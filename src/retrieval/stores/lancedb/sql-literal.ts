/**
 * A text as a literal in LanceDB's SQL. Everything between the quotes is literal, including backslashes and NUL; only quotes are doubled. A
 * lone surrogate, which UTF-8 lacks, becomes U+FFFD, as in the table.
 */
export function sqlLiteral(text: string): string {
  return `'${text.toWellFormed().replaceAll("'", "''")}'`;
}

/** `column IN (…)`; matches no row if there are no values. */
export function sqlIn(column: string, values: readonly string[]): string {
  return values.length === 0 ? "false" : `${column} IN (${values.map(sqlLiteral).join(", ")})`;
}

/** The conjunction of all conditions; undefined if there are none. */
export function sqlAll(conditions: readonly (string | undefined)[]): string | undefined {
  const named = conditions.filter((condition) => condition !== undefined);
  return named.length === 0 ? undefined : named.map((condition) => `(${condition})`).join(" AND ");
}
