import { expect, test } from "bun:test";
import { admitNew } from "../../../src/channels/inbox/admit-new.ts";

test("a long delivery is stored in short statements, and other work continues between them", async () => {
  const items = Array.from({ length: 1_000 }, (_, n) => ({ id: `${n}` }));
  const statements: { rows: number; pass: number }[] = [];
  let pass = 0;
  let isOver = false;
  const nextPass = () => {
    pass++;
    if (!isOver) setImmediate(nextPass);
  };
  setImmediate(nextPass);
  const { added } = await admitNew(items, {
    keyOf: ({ id }) => id,
    findKnown: async () => [],
    countRoom: async () => items.length,
    async add(some) {
      statements.push({ rows: some.length, pass });
      return some.map(({ id }) => id);
    },
  });
  isOver = true;
  expect(added.size).toBe(1_000);
  expect(Math.max(...statements.map(({ rows }) => rows))).toBeLessThanOrEqual(100);
  expect(new Set(statements.map((one) => one.pass)).size).toBe(statements.length);
});
