import { expect, test } from "bun:test";
import { QueryClient } from "@tanstack/react-query";
import { cursorPages, distinctRows, offsetPages } from "../../../../src/console/parts/tables/list-pages.ts";

/** Reads up to ten pages of a list with this many rows, and returns the rows and the offsets that were asked for. */
async function readAll(total: number) {
  const offsets: number[] = [];
  const read = async ({ limit, offset }: { limit: number; offset: number }) => {
    offsets.push(offset);
    const rows = Array.from({ length: Math.min(limit, total - offset) }, (_, at) => offset + at);
    return { rows, total, limit, offset };
  };
  const client = new QueryClient();
  const { pages } = await client.fetchInfiniteQuery({ ...offsetPages(["list"], read), pages: 10 });
  client.clear();
  return { rows: pages.flatMap(({ rows }) => rows), offsets };
}

test.each([
  [0, [0]],
  [1, [0]],
  [100, [0]],
  [101, [0, 100]],
  [250, [0, 100, 200]],
])("a list of %p rows is read whole, each row once, at the offsets %j", async (total, offsets) => {
  const all = await readAll(total);
  expect(all.rows).toEqual(Array.from({ length: total }, (_, row) => row));
  expect(all.offsets).toEqual(offsets);
});

test("a list by cursors is read from its start, with each page's cursor, until a page has none", async () => {
  const asked: object[] = [];
  const next: Record<string, string> = { "": "c1", c1: "c2" };
  const read = async (page: { limit: number; cursor?: string }) => {
    asked.push(page);
    const next_cursor = next[page.cursor ?? ""];
    return { rows: [page.cursor], ...(next_cursor !== undefined && { next_cursor }) };
  };
  const client = new QueryClient();
  await client.fetchInfiniteQuery({ ...cursorPages(["list"], read), pages: 10 });
  client.clear();
  expect(asked).toEqual([{ limit: 100 }, { limit: 100, cursor: "c1" }, { limit: 100, cursor: "c2" }]);
});

test("a row on two pages is shown once, as the later page has it", () => {
  const pages = [
    [
      { id: "a", version: 1 },
      { id: "b", version: 1 },
    ],
    [
      { id: "b", version: 2 },
      { id: "c", version: 2 },
    ],
  ];
  const rows = distinctRows(pages, ({ id }) => id);
  expect(rows.map(({ id, version }) => `${id}${version}`)).toEqual(["a1", "b2", "c2"]);
});
