const mark = Symbol.for("argosy.append-only");

/** The changes that triggers of a table's database refuse: all of them, or every one but to delete a row. */
export type Guard = "append_only" | "fixed_rows";

/** Declares a table whose rows are only ever added: triggers of its database refuse to change or delete one. */
export const appendOnly = <Table extends object>(table: Table): Table => guarded(table, "append_only");

/** Declares a table whose rows never change: triggers of its database refuse it. A row may be deleted. */
export const fixedRows = <Table extends object>(table: Table): Table => guarded(table, "fixed_rows");

/** The guard that a table was declared with. */
export const guardOf = (table: object): Guard | undefined => (table as { [mark]?: Guard })[mark];

const guarded = <Table extends object>(table: Table, guard: Guard): Table =>
  Object.assign(table, { [mark]: guard });
