import type { Statement } from "./read-statement.ts";
import { sqlRefused } from "./sql-fault.ts";

/**
 * Functions with effects beyond the rows of this database: files, other servers, other sessions, settings, time, SQL given as text. A name
 * counts anywhere, because PostgreSQL also calls functions as `value.name`.
 */
const denied = new Set([
  "set_config",
  "pg_notify",
  "pg_reload_conf",
  "pg_rotate_logfile",
  "pg_promote",
  "pg_export_snapshot",
  "pg_hba_file_rules",
  "pg_ident_file_mappings",
  "pg_show_all_file_settings",
  "pg_config",
  "pg_stat_file",
  "pg_current_logfile",
  "pg_log_backend_memory_contexts",
  "pg_import_system_collations",
  "pg_extension_config_dump",
  "pg_prewarm",
  "pg_stat_reset",
  "query_to_xml",
  "query_to_xmlschema",
  "query_to_xml_and_xmlschema",
  "cursor_to_xml",
  "cursor_to_xmlschema",
  "table_to_xml",
  "table_to_xml_and_xmlschema",
  "schema_to_xml",
  "schema_to_xml_and_xmlschema",
  "database_to_xml",
  "database_to_xml_and_xmlschema",
  "xpath_table",
  "ts_stat",
  "crosstab",
  "crosstab2",
  "crosstab3",
  "crosstab4",
  "connectby",
  "loread",
  "lowrite",
  "lo_close",
  "lo_creat",
  "lo_create",
  "lo_export",
  "lo_from_bytea",
  "lo_get",
  "lo_import",
  "lo_lseek",
  "lo_lseek64",
  "lo_manage",
  "lo_open",
  "lo_put",
  "lo_tell",
  "lo_tell64",
  "lo_truncate",
  "lo_truncate64",
  "lo_unlink",
]);

const deniedPrefixes = [
  "pg_read_",
  "pg_ls_",
  "pg_file_",
  "pg_sleep",
  "pg_terminate_",
  "pg_cancel_",
  "pg_advisory_",
  "pg_try_advisory_",
  "pg_logical_",
  "pg_replication_",
  "pg_create_",
  "pg_drop_",
  "pg_copy_",
  "pg_switch_",
  "pg_wal_",
  "pg_backup_",
  "pg_start_backup",
  "pg_stop_backup",
  "pg_stat_reset_",
  "pg_stat_clear_",
  "pg_stat_force_",
  "pg_execute_",
  "pg_sync_",
  "pg_restore_",
  "pg_clear_",
  "dblink",
  "postgres_fdw_",
  "binary_upgrade_",
];

/** First words of statements that can be nested in another: these only return rows. */
const rowKeywords = new Set(["select", "values", "table", "with"]);
const dataKeywords = new Set(["insert", "update", "delete", "merge", "truncate"]);
const schemaKeywords = new Set(["create", "alter", "drop"]);
const schemaModifiers = new Set(["unique", "materialized", "unlogged", "if", "not", "exists"]);
const schemaObjects = new Set(["table", "index", "view", "sequence"]);

/**
 * Returns whether a statement returns rows and can be wrapped, or writes and runs unchanged; throws AppError `sql_refused` for statements
 * that are never allowed.
 */
export function kindOfStatement({ words }: Statement, readOnly: boolean): "rows" | "write" {
  const name = words.find(
    (word) => denied.has(word) || deniedPrefixes.some((prefix) => word.startsWith(prefix)),
  );
  if (name !== undefined) throw sqlRefused(`${name} can't be used here; leave it out.`);
  const [first = ""] = words;
  const writes = words.some((word) => dataKeywords.has(word) && word !== "truncate");
  if (rowKeywords.has(first) && (readOnly || first !== "with" || !writes)) return "rows";
  if (readOnly) {
    throw sqlRefused("Only reading is allowed here; begin the statement with SELECT, VALUES, TABLE or WITH.");
  }
  if (first === "with" || dataKeywords.has(first) || changesSchema(words)) return "write";
  throw sqlRefused(
    "This statement is not allowed here; rows, tables, indexes, views and sequences can be read and changed.",
  );
}

function changesSchema([first = "", ...rest]: readonly string[]): boolean {
  if (!schemaKeywords.has(first)) return false;
  return schemaObjects.has(rest.find((word) => !schemaModifiers.has(word)) ?? "");
}
