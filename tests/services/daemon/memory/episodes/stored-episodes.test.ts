import { expect, test } from "bun:test";
import fc from "fast-check";
import { newId } from "../../../../../src/kit/id.ts";
import { episodeTables } from "../../../../../src/services/daemon/memory/episodes/schema.ts";
import type { EpisodeFilter } from "../../../../../src/services/daemon/memory/episodes/store.ts";
import {
  type StoredEpisodes,
  storedEpisodes,
} from "../../../../../src/services/daemon/memory/episodes/stored-episodes.ts";
import { onEachEngine } from "../../../../support/storage-engines.ts";

const owner = { tenant: "t", agent: "a" };
const day = (number: number) => new Date(Date.UTC(2026, 0, number));

interface Happened {
  summary: string;
  on?: number;
  importance?: number;
  type?: string;
  session?: string;
  user?: string;
}

const add = (episodes: StoredEpisodes, happened: Happened, whose = owner) =>
  episodes.add(whose, {
    event_type: happened.type ?? "note",
    summary: happened.summary,
    context: { of: happened.summary },
    outcome: "ok",
    importance: happened.importance ?? 0.5,
    at: day(happened.on ?? 1),
    sessionId: happened.session ?? "",
    user: happened.user ?? "",
  });

onEachEngine("episodes", (engine) => {
  async function opened(resultsMax = 5, mask = (text: string) => text) {
    const storage = await engine.open({ tables: episodeTables });
    const episodes = storedEpisodes({ open: async () => storage, newId, mask }, resultsMax);
    const summaries = async (filter: EpisodeFilter = {}, whose = owner) =>
      (await episodes.page(whose, filter, { limit: 100 })).map(({ summary }) => summary);
    return { storage, episodes, summaries };
  }
  const scope = { ...owner, sessionId: "s", user: undefined };
  const { signal } = new AbortController();

  test("come back as they were added, newest first", async () => {
    const { storage, episodes } = await opened();
    await using _ = storage;
    const added = await add(episodes, { summary: "first", on: 1 });
    await add(episodes, { summary: "third", on: 3 });
    await add(episodes, { summary: "second", on: 2, session: "s", user: "u", type: "sale", importance: 1 });
    const found = await episodes.page(owner, {}, { limit: 10 });
    expect(found.map(({ summary }) => summary)).toEqual(["third", "second", "first"]);
    expect(found[2]).toEqual(added);
    expect(found[1]).toMatchObject({
      event_type: "sale",
      sessionId: "s",
      user: "u",
      importance: 1,
      context: { of: "second" },
      at: day(2),
    });
  });

  test.each<[string, EpisodeFilter, string[]]>([
    ["type", { type: "sale" }, ["b"]],
    ["time from", { since: day(2) }, ["c", "b"]],
    ["time until, without it", { until: day(2) }, ["a"]],
    ["importance", { importanceMin: 0.5 }, ["c", "b"]],
    ["session", { sessionId: "s" }, ["b"]],
    ["user", { users: ["u"] }, ["c"]],
    ["several", { since: day(2), type: "note" }, ["c"]],
    ["nothing", { type: "other" }, []],
  ])("are selected by %s", async (_name, filter, expected) => {
    const { storage, episodes, summaries } = await opened();
    await using _ = storage;
    await add(episodes, { summary: "a", on: 1, importance: 0.1 });
    await add(episodes, { summary: "b", on: 2, type: "sale", session: "s" });
    await add(episodes, { summary: "c", on: 3, importance: 0.9, user: "u" });
    expect(await summaries(filter)).toEqual(expected);
    expect(await episodes.forget(owner, filter)).toBe(expected.length);
    expect(await summaries()).toEqual(["c", "b", "a"].filter((summary) => !expected.includes(summary)));
  });

  test("are paged without a gap or a repetition, also where many happened at one instant", async () => {
    const { storage, episodes } = await opened();
    await using _ = storage;
    for (let number = 0; number < 25; number++)
      await add(episodes, { summary: `${number}`, on: 1 + (number % 2) });
    const seen: string[] = [];
    let before: { at: Date; id: string } | undefined;
    for (;;) {
      const page = await episodes.page(owner, {}, { limit: 4, ...(before && { before }) });
      seen.push(...page.map(({ summary }) => summary));
      before = page.at(-1);
      if (page.length < 4) break;
    }
    expect(seen).toHaveLength(25);
    expect(new Set(seen).size).toBe(25);
  });

  test("importance and recency decide what is recalled", async () => {
    const { storage, episodes } = await opened(3);
    await using _ = storage;
    await add(episodes, { summary: "old and grave", on: 1, importance: 1 });
    await add(episodes, { summary: "old and light", on: 1, importance: 0.1 });
    await add(episodes, { summary: "new and light", on: 30, importance: 0.1 });
    await add(episodes, { summary: "new and grave", on: 30, importance: 0.9 });
    const recalled = await episodes.recall(scope, { now: day(30), signal });
    expect(recalled.map(({ summary }) => summary)).toEqual([
      "new and grave",
      "new and light",
      "old and grave",
    ]);
    expect(recalled[0]).toEqual({
      event_type: "note",
      summary: "new and grave",
      context: { of: "new and grave" },
      outcome: "ok",
      timestamp: "2026-01-30T00:00:00.000Z",
      importance: 0.9,
    });
  });

  test("an important one is recalled however many came after it", async () => {
    const { storage, episodes } = await opened(1);
    await using _ = storage;
    await add(episodes, { summary: "grave", on: 1, importance: 1 });
    for (let number = 0; number < 250; number++)
      await add(episodes, { summary: "light", on: 1, importance: 0 });
    expect((await episodes.recall(scope, { now: day(2), signal })).map(({ summary }) => summary)).toEqual([
      "grave",
    ]);
  });

  test("what is dated in the future counts by its distance, and hides nothing", async () => {
    const { storage, episodes } = await opened(3);
    await using _ = storage;
    for (let number = 0; number < 250; number++) await add(episodes, { summary: "far", on: 10_000 + number });
    await add(episodes, { summary: "today", on: 30 });
    await add(episodes, { summary: "tomorrow", on: 31 });
    await add(episodes, { summary: "a month ago", on: 1 });
    const recalled = await episodes.recall(scope, { now: day(30), signal });
    expect(recalled.map(({ summary }) => summary)).toEqual(["today", "tomorrow", "a month ago"]);
  });

  test("users, agents and tenants have their own", async () => {
    const { storage, episodes, summaries } = await opened();
    await using _ = storage;
    await add(episodes, { summary: "nobody's" });
    await add(episodes, { summary: "ann's", user: "ann" });
    await add(episodes, { summary: "other agent's" }, { ...owner, agent: "b" });
    await add(episodes, { summary: "other tenant's" }, { ...owner, tenant: "u" });
    const recalled = async (user?: string) =>
      (await episodes.recall({ ...scope, user }, { now: day(1), signal }))
        .map(({ summary }) => summary)
        .sort();
    expect(await recalled()).toEqual(["nobody's"]);
    expect(await recalled("ann")).toEqual(["ann's", "nobody's"]);
    expect(await recalled("bob")).toEqual(["nobody's"]);
    expect(await episodes.forget(owner, {})).toBe(2);
    expect(await summaries({}, { ...owner, agent: "b" })).toEqual(["other agent's"]);
    expect(await summaries({}, { ...owner, tenant: "u" })).toEqual(["other tenant's"]);
  });

  test("hold any text, without secrets", async () => {
    const mask = (text: string) => text.replaceAll("CANARY", "[redacted]");
    const { storage, episodes } = await opened(5, mask);
    await using _ = storage;
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 40 }), async (text) => {
        const summary = `${text}CANARY`;
        const { id } = await episodes.add(owner, {
          event_type: "note",
          summary,
          context: { [`k${text}`]: [summary] },
          outcome: summary,
          importance: 0,
          at: day(1),
          sessionId: "",
          user: "",
        });
        const [found] = await episodes.page(owner, { id }, { limit: 1 });
        const storable = text.toWellFormed().replaceAll("\0", "\ufffd");
        expect(found?.summary).toBe(`${storable}[redacted]`);
        expect(JSON.stringify(found)).not.toContain("CANARY");
      }),
      { numRuns: 30 },
    );
  });
});
