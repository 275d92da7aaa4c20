import { infiniteQueryOptions, type QueryKey } from "@tanstack/react-query";

/** A page of a list that is read by offset. */
export interface OffsetPage {
  total: number;
  limit: number;
  offset: number;
}

const pageRowsUsual = 100;

/** A query that reads a list by offset, page by page up to its total. */
export const offsetPages = <Page extends OffsetPage>(
  queryKey: QueryKey,
  read: (page: { limit: number; offset: number }) => Promise<Page>,
  pageRows = pageRowsUsual,
) =>
  infiniteQueryOptions({
    queryKey,
    initialPageParam: 0,
    queryFn: ({ pageParam }) => read({ limit: pageRows, offset: pageParam }),
    getNextPageParam: ({ offset, limit, total }) => (offset + limit < total ? offset + limit : undefined),
  });

/** A query that reads a list by cursors, page by page until a page has none. */
export const cursorPages = <Page extends { next_cursor?: string }>(
  queryKey: QueryKey,
  read: (page: { limit: number; cursor?: string }) => Promise<Page>,
  pageRows = pageRowsUsual,
) =>
  infiniteQueryOptions({
    queryKey,
    initialPageParam: "",
    queryFn: ({ pageParam }) => read({ limit: pageRows, ...(pageParam === "" ? {} : { cursor: pageParam }) }),
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

/** Reads all rows of a list by its cursors, or its first `most`. */
export async function readAllPages<Page extends { next_cursor?: string }, Row>(
  read: (page: { limit: number; cursor?: string }) => Promise<Page>,
  rowsOf: (page: Page) => readonly Row[],
  most: number,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await read({ limit: pageRowsUsual, ...(cursor === undefined ? {} : { cursor }) });
    rows.push(...rowsOf(page));
    cursor = page.next_cursor;
    if (cursor === undefined || rows.length >= most) return rows;
  }
}

/** Reads all rows of a list by offset, or its first `most`. */
export async function readAllOffsets<Page extends OffsetPage, Row>(
  read: (page: { limit: number; offset: number }) => Promise<Page>,
  rowsOf: (page: Page) => readonly Row[],
  most: number,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let offset = 0; ; ) {
    const page = await read({ limit: pageRowsUsual, offset });
    rows.push(...rowsOf(page));
    offset = page.offset + page.limit;
    if (offset >= page.total || rows.length >= most) return rows;
  }
}

/** The part of a paged query that reads a further page. */
export interface PagedQuery {
  data?: { pages: readonly unknown[] } | undefined;
  fetchNextPage: (options: { cancelRefetch: boolean }) => Promise<{
    data?: { pages: readonly unknown[] } | undefined;
    hasNextPage: boolean;
    isError: boolean;
  }>;
}

const triesMax = 20;

/**
 * Reads the next page. A refresh of the list that runs already is awaited, and one that begins meanwhile cancels the page on its way: so it is
 * asked for until it is there.
 */
export async function readNextPage({ data, fetchNextPage }: PagedQuery): Promise<void> {
  const pages = data?.pages.length ?? 0;
  for (let tries = 0; tries < triesMax; tries++) {
    const now = await fetchNextPage({ cancelRefetch: false });
    if (now.isError || !now.hasNextPage || (now.data?.pages.length ?? 0) > pages) return;
  }
}

/** Returns the rows of all pages, each once: a new row moves the others, so two pages may have the same one. */
export function distinctRows<Row>(pages: readonly (readonly Row[])[], keyOf: (row: Row) => string): Row[] {
  return [...new Map(pages.flat().map((row) => [keyOf(row), row])).values()];
}
