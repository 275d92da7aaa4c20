import { expect, test } from "bun:test";
import { BackgroundGate } from "../../../src/kit/concurrency/background-gate.ts";
import { FakeClock, settle } from "../../support/fake-clock.ts";

/** A gate before an event loop whose passes end when the test says so. */
function setUp() {
  const clock = new FakeClock();
  let endPass: (() => void) | undefined;
  const turn = () => new Promise<void>((resolve) => (endPass = resolve));
  const gate = new BackgroundGate({ clock, turn });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (name: string, signal = new AbortController().signal) =>
    gate.run(async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    }, signal);
  /** Ends a pass of the event loop that took `ms`. */
  const pass = async (ms: number) => {
    await clock.advance(ms);
    endPass?.();
    await settle();
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await settle();
  };
  return { gate, begun, add, end, pass };
}

test("work begins at once if none is inside, and then one with each short pass, in order", async () => {
  const { add, pass, begun } = setUp();
  for (const name of ["a", "b", "c"]) void add(name);
  await settle();
  expect(begun).toEqual(["a"]);
  await pass(2);
  expect(begun).toEqual(["a", "b"]);
  await pass(0);
  expect(begun).toEqual(["a", "b", "c"]);
});

test("long passes hold work up, but not beyond 25 ms since the last entry", async () => {
  const { add, pass, begun } = setUp();
  for (const name of ["a", "b", "c"]) void add(name);
  await pass(12);
  await pass(12);
  expect(begun).toEqual(["a"]);
  await pass(3);
  expect(begun).toEqual(["a", "b"]);
  await pass(24);
  expect(begun).toEqual(["a", "b"]);
  await pass(3);
  expect(begun).toEqual(["a", "b", "c"]);
});

test("work continues with the next pass, however long, once nothing is inside", async () => {
  const { add, end, pass, begun } = setUp();
  const first = add("a");
  void add("b");
  await settle();
  await end("a");
  expect(await first).toBe("a");
  await pass(12);
  expect(begun).toEqual(["a", "b"]);
});

test("work that fails leaves", async () => {
  const { gate, add, begun } = setUp();
  const { signal } = new AbortController();
  await expect(gate.run(() => Promise.reject(new Error("broken")), signal)).rejects.toThrow("broken");
  void add("a");
  await settle();
  expect(begun).toEqual(["a"]);
});

test("an aborted signal takes work out of the line, and the next one follows", async () => {
  const { add, pass, begun } = setUp();
  const stop = new AbortController();
  void add("a");
  const waiting = add("b", stop.signal);
  void add("c");
  await settle();
  stop.abort(new Error("stopped"));
  await expect(waiting).rejects.toThrow("stopped");
  await expect(add("d", stop.signal)).rejects.toThrow("stopped");
  await pass(1);
  expect(begun).toEqual(["a", "c"]);
});
