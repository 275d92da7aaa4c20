import { constants, type DatabaseSync } from "node:sqlite";

type Authorizer = NonNullable<Parameters<DatabaseSync["setAuthorizer"]>[0]>;

const {
  SQLITE_OK: ok,
  SQLITE_DENY: deny,
  SQLITE_SELECT,
  SQLITE_READ,
  SQLITE_RECURSIVE,
  SQLITE_FUNCTION,
  SQLITE_PRAGMA,
  SQLITE_INSERT,
  SQLITE_UPDATE,
  SQLITE_DELETE,
  SQLITE_CREATE_TABLE,
  SQLITE_CREATE_INDEX,
  SQLITE_CREATE_VIEW,
  SQLITE_DROP_TABLE,
  SQLITE_DROP_INDEX,
  SQLITE_DROP_VIEW,
  SQLITE_ALTER_TABLE,
  SQLITE_REINDEX,
  SQLITE_ANALYZE,
} = constants;

/** Functions that load code, reveal build options, or fill memory with one call. */
const deniedFunctions = new Set([
  "load_extension",
  "randomblob",
  "zeroblob",
  "fts3_tokenizer",
  "sqlite_compileoption_used",
  "sqlite_compileoption_get",
  "sqlite_log",
]);

/** Virtual tables for pages of the file and statements of the connection. */
const deniedTables = new Set(["sqlite_dbpage", "dbstat", "sqlite_stmt", "bytecode", "tables_used"]);

/** Pragmas that describe the schema. None of them reveals the file's path. */
const schemaPragmas = new Set([
  "table_info",
  "table_xinfo",
  "table_list",
  "index_list",
  "index_info",
  "index_xinfo",
  "foreign_key_list",
]);
/** Full-text tables use these when they are read; with a value they would be changed. */
const ownPragmas = new Set(["data_version", "page_size"]);

const writes = new Set([
  SQLITE_INSERT,
  SQLITE_UPDATE,
  SQLITE_DELETE,
  SQLITE_CREATE_TABLE,
  SQLITE_CREATE_INDEX,
  SQLITE_CREATE_VIEW,
  SQLITE_DROP_TABLE,
  SQLITE_DROP_INDEX,
  SQLITE_DROP_VIEW,
  SQLITE_ALTER_TABLE,
  SQLITE_REINDEX,
  SQLITE_ANALYZE,
]);

/**
 * Creates the authorizer, which decides during compilation what a statement may do: read, or also write rows, tables, indexes and views. It
 * never allows another file, a setting, an own transaction, a trigger, or a virtual or temporary table.
 */
export function authorizer(readOnly: boolean): Authorizer {
  return (action, first, second) => {
    switch (action) {
      case SQLITE_SELECT:
      case SQLITE_RECURSIVE:
        return ok;
      case SQLITE_READ:
        return deniedTables.has(lower(first)) ? deny : ok;
      case SQLITE_FUNCTION:
        return deniedFunctions.has(lower(second)) ? deny : ok;
      case SQLITE_PRAGMA:
        return schemaPragmas.has(lower(first)) || (ownPragmas.has(lower(first)) && second === null)
          ? ok
          : deny;
      default:
        return !readOnly && writes.has(action) ? ok : deny;
    }
  };
}

const lower = (name: string | null) => name?.toLowerCase() ?? "";
