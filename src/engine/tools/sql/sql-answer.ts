import { firstFreeName } from "../../../contracts/free-name.ts";
import { isRepresentable } from "../../../kit/json/json-number.ts";

/** A value of a query parameter. */
export type SqlParameter = string | number | boolean | null;

/** A result value as JSON: integers beyond 2^53 as text, bytes in base64. */
export type SqlValue = string | number | boolean | null | object;

/** Result of a statement. */
export interface SqlAnswer {
  columns: string[];
  rows: Record<string, SqlValue>[];
  /** True if there were more rows than requested or than fit. */
  truncated: boolean;
  /** Number of rows written, if the statement may write. */
  changes?: number;
}

/** Limits on a result. */
export interface ResultBounds {
  rowsMax: number;
  /** Maximum characters of all rows as JSON. */
  charsMax: number;
}

/** An integer as JSON without loss of precision. */
export function exactInteger(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** Bytes as JSON. */
export function bytesAsJson(bytes: Uint8Array): { base64: string; bytes: number } {
  return { base64: Buffer.from(bytes).toString("base64"), bytes: bytes.length };
}

/** Column names, with a number appended to repeated ones, so that no value hides another. */
export function apart(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const spell = (number: number) => (number === 1 ? name : `${name}_${number}`);
    const own = firstFreeName(spell, (other) => taken.has(other), taken.size);
    taken.add(own);
    return own;
  });
}

/** Collects rows up to the limits. */
export class RowCollector {
  readonly rows: SqlAnswer["rows"] = [];
  readonly #bounds: ResultBounds;
  #chars = 0;
  /** True if a row did not fit. */
  truncated = false;

  constructor(bounds: ResultBounds) {
    this.#bounds = bounds;
  }

  /** Returns true if the row was kept; after the first that does not fit, no more rows are kept. */
  add(row: Record<string, SqlValue>): boolean {
    if (this.truncated) return false;
    this.#chars += JSON.stringify(row).length;
    if (this.rows.length >= this.#bounds.rowsMax || this.#chars > this.#bounds.charsMax)
      this.truncated = true;
    else this.rows.push(row);
    return !this.truncated;
  }

  /** Returns true if not even one row fits, so that nothing can be shown. */
  get isTooLarge(): boolean {
    return this.truncated && this.rows.length === 0 && this.#bounds.rowsMax > 0;
  }
}

/** Message for a result whose first row is too large. */
export const rowTooLarge =
  "A row of the result is too large; select fewer columns, or parts of them with substr().";

/** Significant digits that any double keeps, plus the point. */
const plainLength = 16;

/** Parses JSON and returns numbers as text if a double would change them. */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (_, value: unknown, context?: { source?: string }) => {
    const source = context?.source;
    if (typeof value !== "number" || source === undefined || String(value) === source) return value;
    return source.length <= plainLength && isRepresentable(source, value) ? value : source;
  });
}
