/** What a row's id says of it. */
export interface RowPlace {
  write: string;
  /** Which of the write's rows, from 0: those of a document are in its order. */
  row: number;
  /** Which of its document's chunks. */
  chunk: number;
  start: number;
  end: number;
}

/** So that ids have the order of rows. */
const rowDigits = 8;

/** The id of a row: its write, which no other process makes again, its place in that, and what of the document it is. */
export function rowId({ write, row, chunk, start, end }: RowPlace): string {
  return `${write}/${String(row).padStart(rowDigits, "0")}/${chunk}/${start}-${end}`;
}

/** What `rowId` was made of. */
export function readRowId(id: string): RowPlace {
  const [write = "", row = "", chunk = "", span = ""] = id.split("/");
  const [start = "", end = ""] = span.split("-");
  return { write, row: Number(row), chunk: Number(chunk), start: Number(start), end: Number(end) };
}
