/** A value that a query is given. */
export type SqlParameter = string | number | boolean | null;

/** A value of a result as JSON: integers beyond 2^53 as text, bytes in base64. */
export type SqlValue = string | number | boolean | null | object;

/** What a statement gave. */
export interface SqlAnswer {
  columns: string[];
  rows: Record<string, SqlValue>[];
  /** Whether there were more rows than were asked for, or than fit. */
  truncated: boolean;
  /** Rows that a statement which may write has written. */
  changes?: number;
}

/** How much of a result is kept. */
export interface ResultBounds {
  rowsMax: number;
  /** Characters of all rows as JSON. */
  charsMax: number;
}

/** An integer as JSON can say it without changing it. */
export function exactInteger(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** Bytes as JSON. */
export function bytesAsJson(bytes: Uint8Array): { base64: string; bytes: number } {
  return { base64: Buffer.from(bytes).toString("base64"), bytes: bytes.length };
}

/** Column names, with a number behind each that came before: no value may hide another. */
export function apart(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let own = name;
    for (let number = 2; taken.has(own); number++) own = `${name}_${number}`;
    taken.add(own);
    return own;
  });
}

/** Collects rows until they are too many or too large. */
export class RowCollector {
  readonly rows: SqlAnswer["rows"] = [];
  readonly #bounds: ResultBounds;
  #chars = 0;
  /** Whether a row did not fit. */
  truncated = false;

  constructor(bounds: ResultBounds) {
    this.#bounds = bounds;
  }

  /** Whether the row was kept; after the first that is not, none is. */
  add(row: Record<string, SqlValue>): boolean {
    if (this.truncated) return false;
    this.#chars += JSON.stringify(row).length;
    if (this.rows.length >= this.#bounds.rowsMax || this.#chars > this.#bounds.charsMax)
      this.truncated = true;
    else this.rows.push(row);
    return !this.truncated;
  }

  /** Whether not even one row fits: nothing of the result can be shown. */
  get isTooLarge(): boolean {
    return this.truncated && this.rows.length === 0 && this.#bounds.rowsMax > 0;
  }
}

/** What to tell of a result whose first row is too large. */
export const rowTooLarge =
  "A row of the result is too large; select fewer columns, or parts of them with substr().";
