import { expect, test } from "bun:test";
import { pacedLook, sharedLook } from "../../../../src/services/daemon/manifests/shared-look.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

/** A look that ends when the test says so; `begun` counts. */
function staged() {
  const ends: (() => void)[] = [];
  const looks = { begun: 0, end: () => ends.shift()?.() };
  const look = () => {
    looks.begun++;
    return new Promise<void>((resolve) => void ends.push(resolve));
  };
  return { looks, look };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("who comes while a look is under way waits for the next, which all of them share", async () => {
  const { looks, look } = staged();
  const shared = sharedLook(look);
  const first = shared();
  await settled();
  let isDone = false;
  const others = Promise.all([shared(), shared(), shared()]).then(() => {
    isDone = true;
  });
  looks.end();
  await first;
  await settled();
  expect({ begun: looks.begun, isDone }).toEqual({ begun: 2, isDone: false });
  looks.end();
  await others;
  expect(looks.begun).toBe(2);
});

test("a look that failed lets its callers go on, and the next one look", async () => {
  let begun = 0;
  const shared = sharedLook(async () => {
    begun++;
    throw new Error("The disk is gone.");
  });
  await shared();
  await shared();
  expect(begun).toBe(2);
});

test("after a look of 10 ms, the next for strangers begins 40 ms later", async () => {
  const clock = new FakeClock();
  let begun = 0;
  const paced = pacedLook(async () => {
    begun++;
    await clock.advance(10);
  }, clock);
  await paced();
  const again = paced();
  await clock.advance(39);
  await settled();
  expect(begun).toBe(1);
  await clock.advance(1);
  await again;
  expect(begun).toBe(2);
});

test("a look for strangers that fails is followed by the same rest", async () => {
  const clock = new FakeClock();
  let begun = 0;
  const paced = pacedLook(async () => {
    begun++;
    await clock.advance(10);
    throw new Error("The disk is gone.");
  }, clock);
  await paced();
  const again = paced();
  await clock.advance(39);
  await settled();
  expect(begun).toBe(1);
  await clock.advance(1);
  await again;
  expect(begun).toBe(2);
});
