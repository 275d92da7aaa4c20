/** Parts of a row's id. */
export interface RowPlace {
  write: string;
  /** Index among the write's rows; rows of a document are in order. */
  row: number;
  /** Index among its document's chunks. */
  chunk: number;
  start: number;
  end: number;
}

/** Fixed width, so that ids sort in the order of rows. */
const rowDigits = 8;

/** Id of a row: its unique write, its index in the write, and its range in the document. */
export function rowId({ write, row, chunk, start, end }: RowPlace): string {
  return `${write}/${String(row).padStart(rowDigits, "0")}/${chunk}/${start}-${end}`;
}

/** Parses an id made by `rowId`. */
export function readRowId(id: string): RowPlace {
  const [write = "", row = "", chunk = "", span = ""] = id.split("/");
  const [start = "", end = ""] = span.split("-");
  return { write, row: Number(row), chunk: Number(chunk), start: Number(start), end: Number(end) };
}
