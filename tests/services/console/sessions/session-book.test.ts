import { describe, expect, test } from "bun:test";
import type { Grants } from "../../../../src/services/console/sessions/grants.ts";
import {
  type ConsoleSession,
  openSessionBook,
  type SessionKeeper,
} from "../../../../src/services/console/sessions/session-book.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

const hourMs = 3_600_000;
const visitor: Grants = { visitor: true };
const owner: Grants = { local: true, daemon: "link" };

/** Keeps the last write, and counts writes. */
function keeping(kept: ConsoleSession[] = []): SessionKeeper & { kept: ConsoleSession[]; writes: number } {
  const keeper = {
    kept,
    writes: 0,
    read: () => keeper.kept,
    write(sessions: readonly ConsoleSession[]) {
      keeper.kept = structuredClone([...sessions]);
      keeper.writes++;
    },
  };
  return keeper;
}

describe("how long a session lasts", () => {
  test("twelve hours from its last use", async () => {
    const clock = new FakeClock();
    const book = openSessionBook(clock, keeping());
    const { id } = await book.open(owner);
    await clock.advance(12 * hourMs - 1);
    expect(await book.find(id)).toBeDefined();
    await clock.advance(12 * hourMs - 1);
    expect(await book.find(id)).toBeDefined();
    await clock.advance(12 * hourMs);
    expect(await book.find(id)).toBeUndefined();
  });

  test("seven days in any case", async () => {
    const clock = new FakeClock();
    const book = openSessionBook(clock, keeping());
    const { id } = await book.open(owner);
    for (let hours = 0; hours < 167; hours++) {
      await clock.advance(hourMs);
      expect(await book.find(id)).toBeDefined();
    }
    await clock.advance(hourMs);
    expect(await book.find(id)).toBeUndefined();
  });

  test("no longer for one that was kept meanwhile", async () => {
    const clock = new FakeClock();
    const keeper = keeping();
    const first = openSessionBook(clock, keeper);
    const { id } = await first.open(owner);
    first.flush();
    expect((await openSessionBook(clock, keeper).find(id))?.grants).toEqual(owner);
    await clock.advance(12 * hourMs);
    expect(await openSessionBook(clock, keeper).find(id)).toBeUndefined();
  });
});

test("beyond a thousand sessions a visitor's is dropped first, then the least recently used", async () => {
  const book = openSessionBook(new FakeClock(), keeping());
  const first = await book.open(owner);
  const second = await book.open(owner);
  const guest = await book.open(visitor);
  for (let count = 3; count < 1000; count++) await book.open(owner);
  await book.find(first.id);
  await book.open(owner);
  expect(await book.find(guest.id)).toBeUndefined();
  await book.open(owner);
  expect(await book.find(second.id)).toBeUndefined();
  expect(await book.find(first.id)).toBeDefined();
});

test("only hashes are kept of what a browser has", async () => {
  const keeper = keeping();
  const book = openSessionBook(new FakeClock(), keeper);
  const { id, key } = await book.open(owner);
  book.flush();
  const text = JSON.stringify(keeper.kept);
  expect(text).not.toContain(id);
  expect(text).not.toContain(key);
});

describe("what is written", () => {
  test("comes a second after a change and a minute after a use, all in one; nothing while nothing happens", async () => {
    const clock = new FakeClock();
    const keeper = keeping();
    const book = openSessionBook(clock, keeper);
    expect(clock.pending).toBe(0);
    const { id } = await book.open(owner);
    await book.open(visitor);
    await clock.advance(999);
    expect(keeper.writes).toBe(0);
    await clock.advance(1);
    expect([keeper.writes, keeper.kept.length]).toEqual([1, 2]);
    for (let times = 0; times < 5; times++) await book.find(id);
    await clock.advance(59_999);
    expect(keeper.writes).toBe(1);
    await clock.advance(1);
    expect(keeper.writes).toBe(2);
    expect(clock.pending).toBe(0);
    book.flush();
    expect(keeper.writes).toBe(2);
  });

  test("comes at once for what must not be lost", async () => {
    const keeper = keeping();
    const book = openSessionBook(new FakeClock(), keeper);
    const { session } = await book.open(owner);
    await book.changed(session, "now");
    expect(keeper.writes).toBe(1);
  });

  test("leaves out who was signed out", async () => {
    const keeper = keeping();
    const book = openSessionBook(new FakeClock(), keeper);
    const { session, id } = await book.open(owner);
    book.flush();
    await book.close(session);
    book.flush();
    expect(keeper.kept).toEqual([]);
    expect(await book.find(id)).toBeUndefined();
  });
});
