import { expect, test } from "bun:test";
import type { ConversationArchive, SessionKey, Turn } from "../../../src/engine/memory/conversation.ts";
import { expiring } from "../../../src/engine/memory/conversation-views.ts";
import { forgetConversations } from "../../../src/services/daemon/memory/conversations/forget-conversations.ts";
import { onEachConversationBackend } from "../../support/conversation-backends.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const agent = { tenant: "t", agent: "a" };
const key: SessionKey = { ...agent, sessionId: "s" };

const said = (at: Date, content = "x"): Turn[] =>
  (["user", "assistant"] as const).map((role) => ({ role, content, at, tokenCount: 3, metadata: {} }));

async function listed(store: ConversationArchive, limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  for (let after: { lastAt: Date; sessionId: string } | undefined; ; ) {
    const page = await store.sessions(agent, { limit, after });
    if (page.length === 0) return pages;
    pages.push(page.map(({ sessionId }) => sessionId));
    after = page.at(-1);
  }
}

async function allIds(store: ConversationArchive): Promise<string[]> {
  const ids = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await store.sessionIds(agent, { limit: 2, cursor });
    for (const id of page.ids) ids.add(id);
    cursor = page.next;
  } while (cursor !== undefined);
  return [...ids].sort();
}

onEachConversationBackend("sessions", (backend) => {
  test("are listed with what is kept of them, the one continued last first", async () => {
    await using place = await backend.open();
    const { store } = place;
    const clock = new FakeClock();
    const begun = clock.now();
    for (const sessionId of ["one", "two", "three"]) {
      await store.append({ ...agent, sessionId }, said(clock.now()));
      await clock.advance(1000);
    }
    await store.append({ ...agent, sessionId: "one" }, said(clock.now()));
    const session = { turns: 2, tokens: 6, isSummarized: false };
    const at = (seconds: number) => new Date(begun.getTime() + 1000 * seconds);
    expect(await store.sessions(agent, { limit: 10 })).toEqual([
      { sessionId: "one", ...session, turns: 4, tokens: 12, firstAt: begun, lastAt: at(3) },
      { sessionId: "three", ...session, firstAt: at(2), lastAt: at(2) },
      { sessionId: "two", ...session, firstAt: at(1), lastAt: at(1) },
    ]);
    expect(await store.sessions({ ...agent, tenant: "other" }, { limit: 10 })).toEqual([]);
    expect(await store.sessions(agent, { limit: 10, since: at(2) })).toMatchObject([{ sessionId: "one" }]);
  });

  test("of one instant are paged each once, by their ids", async () => {
    await using place = await backend.open();
    const { store } = place;
    const ids = ["é", "a", "b:c", "😀", "b", "\u{ffff}", "z"];
    for (const sessionId of ids) await store.append({ ...agent, sessionId }, said(new Date(5000)));
    await store.append({ ...agent, sessionId: "later" }, said(new Date(6000)));
    const greatestFirst = ids.toSorted((a, b) => Buffer.compare(Buffer.from(b), Buffer.from(a)));
    expect((await listed(store, 3)).flat()).toEqual(["later", ...greatestFirst]);
    expect((await listed(store, 1)).flat()).toEqual(["later", ...greatestFirst]);
    expect(await allIds(store)).toEqual(["later", ...ids].sort());
  });

  test("are all forgotten with their agent, and those of other agents stay", async () => {
    await using place = await backend.open();
    const { store } = place;
    const other = { ...agent, agent: "b", sessionId: "s1" };
    for (let number = 0; number < 250; number++)
      await store.append({ ...agent, sessionId: `s${number}` }, said(new Date(number)));
    await store.append(other, said(new Date(0)));
    expect(await forgetConversations(store, agent, new Date(7000))).toBe(250);
    expect(await store.sessions(agent, { limit: 10 })).toEqual([]);
    expect(await store.recent({ ...agent, sessionId: "s1" }, 10)).toEqual([]);
    expect(await store.recent(other, 10)).toHaveLength(2);
    expect(await forgetConversations(store, agent, new Date(7000))).toBe(0);
  });

  test("have ends, their own and those of all sessions of the agent; the latest counts", async () => {
    await using place = await backend.open();
    let { store } = place;
    const one = { ...agent, sessionId: "one" };
    expect(await store.endedAt(one)).toBeUndefined();
    await store.end(one, new Date(5000));
    expect(await store.endedAt(one)).toEqual(new Date(5000));
    expect(await store.endedAt({ ...agent, sessionId: "two" })).toBeUndefined();
    await store.end(agent, new Date(4000));
    if (place.reopen) store = await place.reopen();
    expect(await store.endedAt(one)).toEqual(new Date(5000));
    expect(await store.endedAt({ ...agent, sessionId: "two" })).toEqual(new Date(4000));
    expect(await store.endedAt({ ...one, tenant: "other" })).toBeUndefined();
    expect(await store.endedAt({ ...one, agent: "other" })).toBeUndefined();
    await store.end(agent, new Date(6000));
    expect(await store.endedAt(one)).toEqual(new Date(6000));
  });

  test("whose last turn is old are forgotten a few at a time, and one that was continued is not", async () => {
    await using place = await backend.open();
    const { store } = place;
    for (let second = 1; second <= 6; second++)
      await store.append({ ...agent, sessionId: `s${second}` }, said(new Date(1000 * second)));
    await store.append({ ...agent, sessionId: "s1" }, said(new Date(9000)));
    await store.recent({ ...agent, sessionId: "s2" }, 5);
    expect((await store.forgetBefore(agent, new Date(4000), 2)).sort()).toEqual(["s2", "s3"]);
    expect(await store.forgetBefore(agent, new Date(4000), 2)).toEqual(["s4"]);
    expect(await store.forgetBefore(agent, new Date(4000), 2)).toEqual([]);
    expect(await allIds(store)).toEqual(["s1", "s5", "s6"]);
    expect(await store.recent({ ...agent, sessionId: "s2" }, 5)).toEqual([]);
    expect(await store.recent({ ...agent, sessionId: "s1" }, 5)).toHaveLength(4);
  });

  test("end when they were not continued for their time, and then start anew", async () => {
    await using place = await backend.open();
    const clock = new FakeClock();
    const store = expiring(place.store, 60_000, clock);
    await store.append(key, said(clock.now(), "old"));
    await clock.advance(59_999);
    expect(await store.recent(key, 5)).toHaveLength(2);
    await store.append(key, said(clock.now(), "continued"));
    await clock.advance(59_999);
    expect(await store.recent(key, 5)).toHaveLength(4);
    await clock.advance(1);
    expect(await store.recent(key, 5)).toEqual([]);
    expect(await store.page(key, { limit: 5 })).toEqual([]);
    expect(await store.sessions(agent, { limit: 5 })).toEqual([]);
    await store.append(key, said(clock.now(), "new"));
    expect((await store.recent(key, 5)).map(({ content }) => content)).toEqual(["new", "new"]);
    expect(await store.sessions(agent, { limit: 5 })).toMatchObject([{ turns: 2, tokens: 6 }]);
    expect((await place.store.page(key, { limit: 5 })).map(({ seq }) => seq)).toEqual([1, 2]);
  });
});
