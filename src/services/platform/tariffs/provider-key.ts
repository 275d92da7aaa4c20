import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { providerAliases } from "../../../engine/models/providers/registry.ts";

/**
 * The canonical name of a stored provider, as `canonicalProvider` has it: rows of before may hold an alias or another spelling, and
 * tariffs are never changed.
 */
export function providerKey(stored: SQLWrapper): SQL<string> {
  const spelled = sql`lower(trim(${stored}))`;
  const aliases = [...providerAliases].map(
    ([alias, name]) => sql`when ${quoted(alias)} then ${quoted(name)}`,
  );
  if (aliases.length === 0) return sql<string>`${spelled}`;
  return sql<string>`case ${spelled} ${sql.join(aliases, sql` `)} else ${spelled} end`;
}

/** Names of the registry: letters, digits and `_`. Literals, so that one prepared statement serves every model. */
const quoted = (name: string): SQL => sql.raw(`'${name.replaceAll("'", "''")}'`);
