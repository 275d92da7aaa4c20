import { expect, test } from "bun:test";
import { createConnectionMonitor } from "../../../src/console/api/connection.ts";

/** A connection whose waits the test ends by hand. */
function stage() {
  const waits: { ms: number; then: () => void | Promise<void> }[] = [];
  const world = { isBack: false, isVisible: true, asked: 0, regained: 0, told: 0 };
  const connection = createConnectionMonitor({
    ask: async () => {
      world.asked++;
      return world.isBack;
    },
    regained: () => world.regained++,
    wait: (ms, then) => waits.push({ ms, then }),
    isVisible: () => world.isVisible,
  });
  connection.subscribe(() => world.told++);
  return { connection, world, waits, pass: async () => waits.shift()?.then() };
}

test("the server is not asked while calls are answered", () => {
  const { connection, waits } = stage();
  expect(connection.isLost()).toBeFalse();
  expect(waits).toEqual([]);
});

test("once lost it asks less and less often until the server is back, and says so once", async () => {
  const { connection, world, waits, pass } = stage();
  connection.lost();
  connection.lost();
  const waited: number[] = [];
  for (let turn = 0; turn < 5; turn++) {
    waited.push(waits[0]?.ms ?? 0);
    await pass();
  }
  expect(waited).toEqual([1000, 2000, 4000, 8000, 8000]);
  expect(connection.isLost()).toBeTrue();
  world.isBack = true;
  await pass();
  expect(connection.isLost()).toBeFalse();
  expect(world).toMatchObject({ asked: 6, regained: 1, told: 2 });
  expect(waits).toEqual([]);
});

test("a hidden page asks nothing", async () => {
  const { connection, world, pass } = stage();
  world.isVisible = false;
  world.isBack = true;
  connection.lost();
  await pass();
  expect(world.asked).toBe(0);
  world.isVisible = true;
  await pass();
  expect(connection.isLost()).toBeFalse();
});
