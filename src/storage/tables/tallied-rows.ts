const mark = Symbol.for("argosy.tallied-rows");

/** Where the value of a group comes from. */
export type TallyKey =
  /** A column of the row; null counts as empty. */
  | string
  /** The UTC day of an instant, in days since 1970. */
  | { dayOf: string }
  /** A field of an element of `each`. */
  | { field: string };

/** What is added up. */
export type TallySum = "rows" | { column: string } | { flag: string } | { field: string };

/** How triggers add up the rows of a table, in the transaction that changes them. */
export interface TallyRule {
  /** Table of the sums. Its key is the columns of `by`, and `part`. */
  into: string;
  /** Its columns that tell the groups apart. */
  by: Readonly<Record<string, TallyKey>>;
  /** Its columns that are sums. */
  sums: Readonly<Record<string, TallySum>>;
  /** Its columns with the largest value that a row ever had. */
  most?: Readonly<Record<string, string>>;
  /** A column with a JSON list, each element of which counts instead of the row. */
  each?: string;
}

/** Declares that triggers keep sums of the table's rows, so that no request adds up rows. */
export const tallyRows = <Table extends object>(table: Table, ...tallies: readonly TallyRule[]): Table =>
  Object.assign(table, { [mark]: tallies });

/** Returns the tallies of a table. */
export const talliesOf = (table: object): readonly TallyRule[] =>
  (table as { [mark]?: readonly TallyRule[] })[mark] ?? [];
