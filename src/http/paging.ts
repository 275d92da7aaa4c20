import { type TOptional, type TUnsafe, Type } from "@sinclair/typebox";
import { AppError } from "../kit/app-error.ts";

export interface PageLimits {
  default: number;
  max: number;
}

/**
 * The query parameter `limit` of a list: a whole number, reduced to `max` if larger; anything else is refused. Elysia's own parser would
 * also accept `0x10` and ` 5`.
 */
export const pageLimit = (limits: PageLimits): TUnsafe<number> => limitUpTo(limits.max, limits.default);

const wholeListMax = 10_000;

/** The same for a list whose clients may know no pages: without it they get all entries, at most 10,000. */
export const wholeListLimit = (): TUnsafe<number> => pageLimit({ default: wholeListMax, max: wholeListMax });

/** The same for a list that is returned whole if the parameter is absent. */
export const pageLimitIfGiven = (max: number): TOptional<TUnsafe<number>> => Type.Optional(limitUpTo(max));

function limitUpTo(max: number, byDefault?: number): TUnsafe<number> {
  const documented = {
    type: "integer",
    minimum: 1,
    maximum: max,
    ...(byDefault !== undefined && { default: byDefault }),
    description: "Maximum number of results. Higher values are reduced to the maximum.",
  };
  const digits = Type.String({ pattern: "^0*[1-9][0-9]*$", maxLength: 100 });
  // Elysia decodes a query twice, so the decoded value must be valid input.
  const sent = Type.Union([digits, Type.Integer({ minimum: 1 })], {
    documented,
    ...(byDefault !== undefined && { default: String(byDefault) }),
    fault: "must be a whole number of at least 1",
  });
  const transform = Type.Transform(sent)
    .Decode((value) => Math.min(Number(value), max))
    .Encode((value) => value);
  // Handlers see the decoded value.
  return transform as unknown as TUnsafe<number>;
}

/** Query of a list in pages. */
export interface PageRequest {
  limit: number;
  /** Cursor from the page before; absent: the first page. */
  cursor?: string;
}

/** The query parameter `cursor` of a list that is sorted by ids. */
export const idCursor = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 512,
    description: "Value of `next_cursor` from the previous page.",
  }),
);

/** Splits off the page from rows that may include one more than `limit`, and returns the cursor of the next page if there is one. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  idOf: (row: Row) => string,
): { page: Row[]; next: { next_cursor: string } | undefined } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const next =
    rows.length > limit && last !== undefined ? { next_cursor: cursorAfter(idOf(last)) } : undefined;
  return { page, next };
}

/** Returns the id that a cursor encodes. Throws `invalid_request` for a cursor that this server did not issue. */
export function readIdCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const id = Buffer.from(cursor, "base64url").toString();
  if (/^[0-9a-f-]{1,64}$/.test(id) && cursorAfter(id) === cursor) return id;
  throw new AppError("invalid", "invalid_request", "The cursor is not valid.", {
    details: {
      hint: "Start again without a cursor.",
      problems: [{ path: "cursor", message: "is not known" }],
    },
  });
}

/** Returns the cursor of the entries after that id. */
export const cursorAfter = (id: string): string => Buffer.from(id).toString("base64url");

/** The query parameter `offset` of a list that is paged by position: a whole number, 0 by default. */
export function pageOffset(): TUnsafe<number> {
  const documented = {
    type: "integer",
    minimum: 0,
    default: 0,
    description: "How many entries to skip.",
  };
  const digits = Type.String({ pattern: "^[0-9]{1,15}$" });
  const sent = Type.Union([digits, Type.Integer({ minimum: 0 })], {
    documented,
    default: "0",
    fault: "must be a whole number of at least 0",
  });
  const transform = Type.Transform(sent)
    .Decode((value) => Number(value))
    .Encode((value) => value);
  return transform as unknown as TUnsafe<number>;
}
