import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { InfiniteQueryObserver, QueryClient } from "@tanstack/react-query";
import { Glob } from "bun";
import {
  cursorPages,
  distinctRows,
  offsetPages,
  readAllOffsets,
  readAllPages,
  readNextPage,
} from "../../../../src/console/parts/tables/list-pages.ts";

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

test.each(["begins before it", "begins meanwhile"])(
  "a next page comes although a refresh %s",
  async (when) => {
    const gates: (() => void)[] = [];
    const read = async ({ offset, limit }: { offset: number; limit: number }) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gates.push(resolve);
      await promise;
      return { total: 300, offset, limit };
    };
    const client = new QueryClient();
    const observer = new InfiniteQueryObserver(client, offsetPages(["list"], read));
    const leave = observer.subscribe(() => {});
    const openAll = () => {
      for (const open of gates.splice(0)) open();
    };
    const whileOpening = async (work: Promise<unknown>) => {
      let isDone = false;
      void work.then(() => {
        isDone = true;
      });
      while (!isDone) {
        openAll();
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
    };
    await whileOpening(observer.fetchOptimistic(observer.options));
    const refresh = () => client.invalidateQueries({ queryKey: ["list"] });
    const works: Promise<unknown>[] = [];
    if (when === "begins before it") works.push(refresh());
    works.push(readNextPage(observer.getCurrentResult()));
    if (when === "begins meanwhile") works.push(refresh());
    await whileOpening(Promise.all(works));
    expect(observer.getCurrentResult().data?.pages.map(({ offset }) => offset)).toEqual([0, 100]);
    leave();
    client.clear();
  },
);

test("only readNextPage fetches next pages", () => {
  const root = join(import.meta.dir, "../../../../src/console");
  const others = [...new Glob("**/*.{ts,tsx}").scanSync(root)].filter((file) =>
    readFileSync(join(root, file), "utf8").includes("fetchNextPage("),
  );
  expect(others).toEqual(["parts/tables/list-pages.ts"]);
});

test.each([
  [0, 50],
  [1, 50],
  [250, 1000],
  [250, 120],
])("an export of %p rows by cursors reads whole pages up to %p rows", async (total, most) => {
  const read = async ({ limit, cursor = "0" }: { limit: number; cursor?: string }) => {
    const from = Number(cursor);
    const rows = Array.from({ length: Math.min(limit, total - from) }, (_, at) => from + at);
    return { rows, ...(from + limit < total ? { next_cursor: String(from + limit) } : {}) };
  };
  const rows = await readAllPages(read, (page) => page.rows, most);
  expect(rows).toEqual(Array.from({ length: rows.length }, (_, at) => at));
  expect(rows.length).toBeGreaterThanOrEqual(Math.min(total, most));
  expect(rows.length).toBeLessThan(most + 100);
});

test.each([0, 100, 101, 250])("an export of %p rows by offset reads each once", async (total) => {
  const read = async ({ limit, offset }: { limit: number; offset: number }) => ({
    rows: Array.from({ length: Math.min(limit, total - offset) }, (_, at) => offset + at),
    total,
    limit,
    offset,
  });
  expect(await readAllOffsets(read, (page) => page.rows, 10_000)).toEqual(
    Array.from({ length: total }, (_, at) => at),
  );
});
