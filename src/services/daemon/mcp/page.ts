import { AppError } from "../../../kit/app-error.ts";

export interface ListPage<T> {
  items: T[];
  nextCursor?: string;
}

/** Maximum number of items on one page of a list. */
export const pageItemsMax = 100;

/**
 * Returns the page of `sorted` after `cursor`, or the first page without one. A cursor is the name of the last item returned, so added and
 * removed items do not shift the pages.
 */
export function pageOf<T extends { name: string }>(
  sorted: readonly T[],
  cursor: string | undefined,
): ListPage<T> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const from = after === undefined ? 0 : sorted.findIndex(({ name }) => name > after);
  const items = from === -1 ? [] : sorted.slice(from, from + pageItemsMax);
  const last = items.at(-1);
  const isLast = last === undefined || last === sorted.at(-1);
  return isLast ? { items } : { items, nextCursor: encodeCursor(last.name) };
}

function encodeCursor(name: string): string {
  return Buffer.from(name).toString("base64url");
}

function decodeCursor(cursor: string): string {
  const name = Buffer.from(cursor, "base64url").toString();
  if (name !== "" && encodeCursor(name) === cursor) return name;
  throw new AppError("invalid", "invalid_params", "The cursor is not valid.", {
    details: { hint: "Start again without a cursor." },
  });
}
