/** Built-in tools that reach the operator's own resources. They are closed to tenants unless the operator opens them. */
export const closedTools = ["read_file", "write_file", "sql_query", "send_email", "rag_ingest"] as const;

/** The closed tools that can be opened: they stay inside a folder of the tenant. */
export const openableTools: readonly string[] = ["read_file", "write_file", "sql_query"];

const ownDatabase =
  /^sqlite:((?:[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}\/){0,8}[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}\.(?:db|sqlite))$/;

/** Returns the file in a tenant's folder that a connection string names; undefined for any other connection. */
export function ownDatabaseFile(connection: unknown): string | undefined {
  return typeof connection === "string" ? ownDatabase.exec(connection)?.[1] : undefined;
}

/** Returns true for a connection string that names a file in a tenant's folder. */
export const isOwnDatabase = (connection: unknown): boolean => ownDatabaseFile(connection) !== undefined;
