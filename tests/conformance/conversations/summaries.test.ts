import { expect, test } from "bun:test";
import type {
  SessionKey,
  SummaryClaim,
  SummaryStore,
  Turn,
} from "../../../src/engine/memory/conversation.ts";
import { onEachConversationBackend } from "../../support/conversation-backends.ts";

const key: SessionKey = { tenant: "t", agent: "a", sessionId: "s" };
const now = new Date("2026-01-01T00:00:00.000Z");
const until = new Date("2026-01-01T00:02:00.000Z");

const turns = (...names: string[]): Turn[] =>
  names.map((content) => ({ role: "user", content, at: now, tokenCount: 1, metadata: {} }));
const summary = (text: string, upTo: number) => ({ text, upTo, tokenCount: 2, at: now });

async function claimed(summaries: SummaryStore, at = now): Promise<SummaryClaim> {
  const claim = await summaries.claim(key, at, until);
  if (claim === undefined) throw new Error("the session is taken");
  return claim;
}

onEachConversationBackend("summaries", (backend) => {
  test("are nothing for a session that is unknown or not summed up", async () => {
    await using place = await backend.open();
    const { summaries } = place.store;
    expect(await summaries.find(key)).toBeUndefined();
    expect(await summaries.progress(key)).toBeUndefined();
    expect(await summaries.claim(key, now, until)).toBeUndefined();
    await place.store.append(key, turns("1", "2", "3"));
    expect(await summaries.find(key)).toBeUndefined();
    expect(await summaries.progress(key)).toEqual({ lastSeq: 3, upTo: 0, tokenCount: 0 });
    expect((await summaries.turnsAfter(key, 1, 5)).map(({ content, seq }) => [content, seq])).toEqual([
      ["2", 2],
      ["3", 3],
    ]);
    expect(await summaries.turnsAfter(key, 0, 2)).toHaveLength(2);
    expect(await summaries.turnsAfter(key, 3, 2)).toEqual([]);
  });

  test("grow by one summarizer at a time, and outlive the store", async () => {
    await using place = await backend.open();
    const { summaries } = place.store;
    await place.store.append(key, turns("1", "2", "3", "4"));
    const claim = await claimed(summaries);
    expect(claim).toMatchObject({ lastSeq: 4, upTo: 0, text: "" });
    expect(await summaries.claim(key, now, until)).toBeUndefined();
    expect(await summaries.save(key, claim, summary("one and two \0", 2))).toBe(true);
    expect(await summaries.save(key, claim, summary("all", 4))).toBe(true);
    await summaries.release(key, claim);
    expect(await claimed(summaries)).toMatchObject({ upTo: 4, text: "all" });
    expect(await place.store.sessions(key, { limit: 1 })).toMatchObject([{ isSummarized: true }]);
    const again = (await place.reopen?.())?.summaries ?? summaries;
    expect(await again.find(key)).toEqual(summary("all", 4));
    expect(await again.progress(key)).toEqual({ lastSeq: 4, upTo: 4, tokenCount: 2 });
  });

  test("on SQLite, a claim of a process that died doesn't hold up the next one", async () => {
    await using place = await backend.open();
    await place.store.append(key, turns("1"));
    await claimed(place.store.summaries);
    const next = await place.reopen?.();
    if (next !== undefined && backend.name.includes("sqlite"))
      expect(await next.summaries.claim(key, now, until)).toMatchObject({ lastSeq: 1 });
  });

  test("are taken over when the time of a claim has passed, and the late one changes nothing", async () => {
    await using place = await backend.open();
    const { summaries } = place.store;
    await place.store.append(key, turns("1", "2", "3", "4"));
    const late = await claimed(summaries);
    const next = await claimed(summaries, until);
    expect(await summaries.save(key, next, summary("next", 2))).toBe(true);
    expect(await summaries.save(key, late, summary("late", 4))).toBe(false);
    expect(await summaries.find(key)).toMatchObject({ text: "next", upTo: 2 });
  });

  test("of what was forgotten meanwhile are not kept", async () => {
    await using place = await backend.open();
    const { summaries } = place.store;
    await place.store.append(key, turns("secret", "2"));
    const claim = await claimed(summaries);
    await place.store.clear(key);
    expect(await summaries.save(key, claim, summary("secret", 2))).toBe(false);
    await place.store.append(key, turns("1", "2"));
    expect(await summaries.save(key, claim, summary("secret", 2))).toBe(false);
    expect(await summaries.find(key)).toBeUndefined();
    const own = await claimed(summaries);
    await summaries.release(key, claim);
    expect(await summaries.save(key, own, summary("1 and 2", 2))).toBe(true);
    await place.store.clear(key);
    await place.store.append(key, turns("1"));
    expect(await summaries.find(key)).toBeUndefined();
    expect(await summaries.progress(key)).toEqual({ lastSeq: 1, upTo: 0, tokenCount: 0 });
  });

  test("are made by one of many who want to at once", async () => {
    await using place = await backend.open();
    const { summaries } = place.store;
    await place.store.append(key, turns("1", "2"));
    const claims = await Promise.all(Array.from({ length: 8 }, () => summaries.claim(key, now, until)));
    expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
  });
});
