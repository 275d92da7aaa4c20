import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { providerAliases } from "../../../engine/models/providers/registry.ts";

/**
 * SQL for the canonical name of a stored provider, like `canonicalProvider`. Older rows may contain an alias or another spelling, and
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

/** Registry names contain only letters, digits and `_`. They are literals, so one prepared statement serves every model. */
const quoted = (name: string): SQL => sql.raw(`'${name.replaceAll("'", "''")}'`);
