import { expect, test } from "bun:test";
import fc from "fast-check";
import { pageItemsMax, pageOf } from "../../../../src/services/daemon/mcp/page.ts";

const named = (names: readonly string[]) => [...new Set(names)].sort().map((name) => ({ name }));

function allPages(items: { name: string }[]): { names: string[]; pages: number } {
  const names: string[] = [];
  let pages = 0;
  let cursor: string | undefined;
  do {
    const page = pageOf(items, cursor);
    names.push(...page.items.map(({ name }) => name));
    cursor = page.nextCursor;
    pages++;
  } while (cursor !== undefined);
  return { names, pages };
}

test.each([0, 1, pageItemsMax, pageItemsMax + 1, 3 * pageItemsMax])(
  "%d items come in full pages",
  (count) => {
    const items = named(Array.from({ length: count }, (_, at) => String(at).padStart(4, "0")));
    const { names, pages } = allPages(items);
    expect(names).toEqual(items.map(({ name }) => name));
    expect(pages).toBe(Math.max(1, Math.ceil(count / pageItemsMax)));
  },
);

test("an item that stays is listed once, with any additions and removals between two pages", () => {
  const name = fc.stringMatching(/^[a-z]{1,3}$/);
  fc.assert(
    fc.property(
      fc.array(name, { minLength: 101, maxLength: 300 }),
      fc.array(name),
      fc.array(name),
      (before, come, go) => {
        const first = pageOf(named(before), undefined);
        const after = named([...before.filter((one) => !go.includes(one)), ...come]);
        const rest = first.nextCursor === undefined ? { items: [] } : pageOf(after, first.nextCursor);
        const told = [...first.items, ...rest.items].map((item) => item.name);
        expect(new Set(told).size).toBe(told.length);
        const last = told.at(-1) ?? "";
        for (const one of before) if (!go.includes(one) && one <= last) expect(told).toContain(one);
      },
    ),
  );
});

test.each(["", "!", "a", "_w", "=", "YQ==", "YQ ", "Y Q", "é"])("%p is not one of our cursors", (cursor) => {
  expect(() => pageOf(named(["a"]), cursor)).toThrow("The cursor is not valid.");
});
