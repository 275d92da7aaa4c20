import { type OuterToken, readStatement, type SqlStatement } from "./read-statement.ts";
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

/** How a statement is run: enclosed in a query of ours, as it is, or by `EXPLAIN` and `SHOW`, which can't be enclosed. */
export type StatementKind = "rows" | "write" | "report";

/** Returns the kind of a statement; throws AppError `sql_refused` for statements that are never allowed. */
export function kindOfStatement(statement: SqlStatement, readOnly: boolean): StatementKind {
  const { words } = statement;
  const name = words.find(
    (word) => denied.has(word) || deniedPrefixes.some((prefix) => word.startsWith(prefix)),
  );
  if (name !== undefined) throw sqlRefused(`${name} can't be used here; leave it out.`);
  const [first = ""] = words;
  if (first === "show") return "report";
  if (first === "explain" && mayExplain(statement, readOnly)) return "report";
  const writes = words.some(writesRows);
  if (rowKeywords.has(first) && (readOnly || first !== "with" || !writes)) return "rows";
  if (readOnly) {
    throw sqlRefused(
      "Only reading is allowed here; begin the statement with SELECT, VALUES, TABLE, WITH, EXPLAIN or SHOW.",
    );
  }
  if (first === "with" || dataKeywords.has(first) || changesSchema(words)) return "write";
  throw sqlRefused(
    "This statement is not allowed here; rows, tables, indexes, views and sequences can be read and changed.",
  );
}

const writesRows = (word: string) => dataKeywords.has(word) && word !== "truncate";

/** Returns true if the explained statement could be run itself. Without `ANALYZE`, only its plan is made, so writes are allowed. */
function mayExplain(statement: SqlStatement, readOnly: boolean): boolean {
  const { head, explained } = explainedIn(statement);
  const [first = ""] = explained.words;
  return rowKeywords.has(first) || (writesRows(first) && !(readOnly && /\banaly[sz]e\b/i.test(head)));
}

/** Splits `EXPLAIN` with its options from the statement that it explains. */
export function explainedIn({ text, outer }: SqlStatement): { head: string; explained: SqlStatement } {
  const options = outer.findIndex(
    ({ text: token }, index) => index > 0 && !["analyze", "analyse", "verbose"].includes(token),
  );
  const begin = outer[options]?.text === "(" ? options + 2 : options;
  const at = outer[begin]?.at ?? text.length;
  return { head: text.slice(0, at), explained: readStatement(text.slice(at), "postgres") };
}

function changesSchema([first = "", ...rest]: readonly string[]): boolean {
  if (!schemaKeywords.has(first)) return false;
  return schemaObjects.has(rest.find((word) => !schemaModifiers.has(word)) ?? "");
}

/** Part of a writing statement behind its common table expressions. */
export interface MainPart {
  /** Position of its first word, or of a parenthesis before it. */
  at: number;
  /** True if it is a query, or has `RETURNING`. */
  returnsRows: boolean;
  /** True if its own rows are counted as changed. */
  writes: boolean;
}

/** Finds the main part of a statement that writes rows; undefined if the statement has none, because it changes the schema. */
export function mainPartOf({ outer }: SqlStatement): MainPart | undefined {
  const begin = outer[0]?.text === "with" ? outer.findIndex(beginsMain) : 0;
  const { text: first = "", at = 0 } = outer[begin] ?? {};
  if (first === "(" || rowKeywords.has(first)) return { at, returnsRows: true, writes: false };
  if (!writesRows(first)) return undefined;
  const returnsRows = outer.some(
    ({ text }, index) => index > begin && text === "returning" && !isLabel(outer[index - 1]),
  );
  return { at, returnsRows, writes: true };
}

/** Returns true for the first word behind the list of `WITH`. Names in that list follow `WITH`, `RECURSIVE` or a comma. */
function beginsMain({ text }: OuterToken, index: number, outer: readonly OuterToken[]): boolean {
  const before = outer[index - 1]?.text ?? "";
  if (index === 0 || ["with", "recursive", ","].includes(before)) return false;
  return text === "(" ? before === ")" : rowKeywords.has(text) || writesRows(text);
}

/** `returning` is reserved: only as a label or behind a dot is it a name. */
const isLabel = (before: OuterToken | undefined) => before?.text === "as" || before?.text === ".";
