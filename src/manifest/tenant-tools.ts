/** Built-in tools that reach the operator's own things: closed to tenants unless they are opened. */
export const closedTools = ["read_file", "write_file", "sql_query", "send_email", "rag_ingest"] as const;

/** Those among them that can be opened: they stay inside a folder of the tenant's. */
export const openableTools: readonly string[] = ["read_file", "write_file", "sql_query"];

const ownDatabase =
  /^sqlite:((?:[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}\/){0,8}[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}\.(?:db|sqlite))$/;

/** The file of a tenant's folder that a connection string means; undefined for anything else. */
export function ownDatabaseFile(connection: unknown): string | undefined {
  return typeof connection === "string" ? ownDatabase.exec(connection)?.[1] : undefined;
}

/** Returns true for a connection string that means a file of a tenant's folder. */
export const isOwnDatabase = (connection: unknown): boolean => ownDatabaseFile(connection) !== undefined;
