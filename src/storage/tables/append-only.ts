const mark = Symbol.for("argosy.append-only");

/** The changes that database triggers refuse on a table: all changes, or all except deleting a row. */
export type ChangeGuard = "append_only" | "fixed_rows";

/** Declares a table to which rows are only added: database triggers refuse to change or delete a row. */
export const appendOnly = <Table extends object>(table: Table): Table => guarded(table, "append_only");

/** Declares a table whose rows never change: database triggers refuse it. A row may be deleted. */
export const fixedRows = <Table extends object>(table: Table): Table => guarded(table, "fixed_rows");

/** Returns the guard that a table was declared with. */
export const guardOf = (table: object): ChangeGuard | undefined => (table as { [mark]?: ChangeGuard })[mark];

const guarded = <Table extends object>(table: Table, guard: ChangeGuard): Table =>
  Object.assign(table, { [mark]: guard });
