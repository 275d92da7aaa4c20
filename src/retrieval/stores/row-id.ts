/** Parts of a row's id. */
export interface RowPlace {
  write: string;
  /** Index among the write's rows; rows of a document are in order. */
  row: number;
  /** Index among its document's chunks. */
  chunk: number;
  start: number;
  end: number;
  /** Page and section of the document, where they are known. */
  page?: number | undefined;
  section?: string | undefined;
}

/** Fixed width, so that ids sort in the order of rows. */
const rowDigits = 8;

/**
 * Id of a row: its unique write, its index in the write, and its range, page and section in the document. So every store carries them, and
 * new vectors keep them.
 */
export function rowId({ write, row, chunk, start, end, page, section }: RowPlace): string {
  const id = `${write}/${String(row).padStart(rowDigits, "0")}/${chunk}/${start}-${end}`;
  return page === undefined && section === undefined ? id : `${id}/${page ?? ""}/${section ?? ""}`;
}

/** Parses an id made by `rowId`. */
export function readRowId(id: string): RowPlace & { page?: number; section?: string } {
  const [write = "", row = "", chunk = "", span = "", page = "", ...rest] = id.split("/");
  const [start = "", end = ""] = span.split("-");
  const section = rest.join("/");
  return {
    write,
    row: Number(row),
    chunk: Number(chunk),
    start: Number(start),
    end: Number(end),
    ...(page !== "" && { page: Number(page) }),
    ...(section !== "" && { section }),
  };
}

/**
 * Text by which a row is found, by words and by its vector: the heading of its section, then its own. A passage seldom repeats what its
 * heading says. Ids of other rows name no section.
 */
export function searchedText({ id, text }: { id: string; text: string }): string {
  const { section } = readRowId(id);
  return section === undefined ? text : `${section}\n${text}`;
}
