import { expect, test } from "bun:test";
import type { Grants } from "../../../../src/services/console/sessions/grants.ts";
import { storedSessions } from "../../../../src/services/console/sessions/stored-sessions.ts";
import { tables } from "../../../../src/services/console/tables.ts";
import { createSealer } from "../../../../src/storage/sealing/seal.ts";
import { FakeClock, settle } from "../../../support/fake-clock.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const hourMs = 3_600_000;
const owner: Grants = { local: true, daemon: "link" };
const person = () => ({
  person: {
    id: "p",
    email: "ada@example.com",
    display_name: "Ada",
    accessToken: "access-token-1",
    refreshToken: "refresh-token-1",
    operator: false,
  },
});
const keyOf = (byte: number) => createSealer([{ kid: `k${byte}`, secret: Buffer.alloc(32, byte) }]);

onEachEngine("console sessions of two processes on one database", (engine) => {
  async function staged() {
    const storage = await engine.open({ service: "console", tables });
    const clock = new FakeClock();
    const [one, other] = [storedSessions(storage, keyOf(1), clock), storedSessions(storage, keyOf(1), clock)];
    return { storage, clock, one, other, [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose]() };
  }

  test("one that begins at the first is open at the second, and its end is one for both", async () => {
    await using world = await staged();
    const { one, other, clock } = world;
    const { id } = await one.open(owner);
    const [here, there] = [await one.find(id), await other.find(id)];
    expect(there?.grants).toEqual(owner);
    if (here === undefined || there === undefined) throw new Error("no session");
    await other.close(there);
    expect(other.isOpen(there)).toBe(false);
    expect(await one.find(id)).toBeUndefined();

    // A socket that is open here asks a second later.
    const next = await one.open(owner);
    const socket = await one.find(next.id);
    if (socket === undefined) throw new Error("no session");
    await other.close(next.session);
    await clock.advance(1_000);
    expect(one.isOpen(socket)).toBe(true);
    while (one.isOpen(socket)) await settle();
  });

  test("last twelve hours from their last use, and seven days in any case", async () => {
    await using world = await staged();
    const { one, other, clock } = world;
    const { id } = await one.open(owner);
    for (let hours = 0; hours < 167; hours += 11) {
      expect(await other.find(id)).toBeDefined();
      await clock.advance(11 * hourMs);
    }
    expect(await one.find(id)).toBeUndefined();
    const again = await one.open(owner);
    await clock.advance(12 * hourMs);
    expect(await other.find(again.id)).toBeUndefined();
  });

  test("a refresh token is exchanged by one of them, and the other goes on with the new one", async () => {
    await using world = await staged();
    const { one, other, clock } = world;
    const { id } = await one.open(person());
    let exchanges = 0;
    const exchange = async (book: typeof one) => {
      const session = await book.find(id);
      const grant = session?.grants.person;
      if (session === undefined || grant === undefined) throw new Error("no session");
      await book.alone(session, async () => {
        if (grant.refreshToken !== "refresh-token-1") return;
        exchanges++;
        grant.refreshToken = "refresh-token-2";
        await book.changed(session);
      });
      return grant.refreshToken;
    };
    const both = Promise.all([exchange(one), exchange(other)]);
    let isDone = false;
    void both.then(() => {
      isDone = true;
    });
    // Time passes only while one of them waits for the other, and not while the database works.
    while (!isDone) await (clock.pending > 0 ? clock.advance(100) : settle());
    expect([await both, exchanges]).toEqual([["refresh-token-2", "refresh-token-2"], 1]);
  });

  test("show nothing of a browser's secrets or a person's tokens, and end with their sealing key", async () => {
    await using world = await staged();
    const { id, key } = await world.one.open(person());
    const rows = JSON.stringify(await world.storage.read.select().from(world.storage.tables.consoleSessions));
    for (const secret of [id, key, "access-token-1", "refresh-token-1", "ada@example.com"])
      expect(rows).not.toContain(secret);
    expect(await storedSessions(world.storage, keyOf(2), world.clock).find(id)).toBeUndefined();
  });

  test("beyond a thousand a visitor's is dropped first", async () => {
    await using world = await staged();
    const { one, other } = world;
    const guest = await one.open({ visitor: true });
    const first = await one.open(owner);
    const { consoleSessions } = world.storage.tables;
    const [row] = await world.storage.read.select().from(consoleSessions).limit(1);
    if (row === undefined) throw new Error("no row");
    await world.storage.transact((tx) =>
      tx
        .insert(consoleSessions)
        .values(Array.from({ length: 998 }, (_, at) => ({ ...row, id: `x${at}`, visitor: false }))),
    );
    await one.open(owner);
    expect(await other.find(guest.id)).toBeUndefined();
    expect(await other.find(first.id)).toBeDefined();
  });
});
