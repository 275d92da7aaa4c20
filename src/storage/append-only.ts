const mark = Symbol.for("argosy.append-only");

/** Declares a table whose rows are only ever added: triggers of its database refuse to change or delete one. */
export const appendOnly = <Table extends object>(table: Table): Table =>
  Object.assign(table, { [mark]: true });

/** Whether `appendOnly` declared it. */
export const isAppendOnly = (table: object): boolean => mark in table;
