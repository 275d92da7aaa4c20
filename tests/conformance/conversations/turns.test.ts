import { expect, test } from "bun:test";
import fc from "fast-check";
import type { SessionKey, Turn } from "../../../src/engine/memory/conversation.ts";
import { onEachConversationBackend } from "../../support/conversation-backends.ts";
import { refusal } from "../../support/refusal.ts";

const key: SessionKey = { tenant: "t", agent: "a", sessionId: "s" };

const turn = (content: string, role: Turn["role"] = "user"): Turn => ({
  role,
  content,
  at: new Date("2026-11-21T10:00:00.123Z"),
  tokenCount: content.length,
  metadata: { trace_id: content },
});
const exchange = (name: string) => [turn(`q${name}`), turn(`a${name}`, "assistant")];
const contents = (turns: readonly Turn[]) => turns.map(({ content }) => content);

onEachConversationBackend("turns", (backend) => {
  test("come back whole and in order, the last of them when there are more", async () => {
    await using place = await backend.open();
    const { store } = place;
    expect(await store.recent(key, 10)).toEqual([]);
    const said = [turn("¿Qué hora es?"), turn("Son las 10 😀", "assistant")];
    await store.append(key, said);
    expect(await store.recent(key, 10)).toEqual(said);
    await store.append(key, [turn("x"), turn("y", "assistant"), turn("z")]);
    expect(contents(await store.recent(key, 2))).toEqual(["y", "z"]);
    expect(await store.recent(key, 0)).toEqual([]);
  });

  test("are appended in any number at once, or not at all", async () => {
    await using place = await backend.open();
    const { store } = place;
    const many = Array.from({ length: 37 }, (_, index) => turn(`turn ${index}`));
    await store.append(key, []);
    await store.append(key, many);
    expect(await store.recent(key, 100)).toEqual(many);
    const broken = [...many.slice(0, 20), { ...turn("broken"), tokenCount: Number.NaN }];
    expect(await refusal(store.append(key, broken))).toMatchObject({ code: "number_not_representable" });
    expect(await store.recent(key, 100)).toEqual(many);
    expect(await store.sessions(key, { limit: 5 })).toMatchObject([{ turns: 37 }]);
  });

  test("of one tenant, agent or session are never those of another, for any names", async () => {
    await using place = await backend.open();
    const { store } = place;
    const names = ["a", "a:b", "b", "{a}", "%3A", "a/b", "*", "a b", "ä", "😀", "A", "", "a:", ":a", "'\"--"];
    const keys = names.flatMap((name) => [
      { tenant: name, agent: "x", sessionId: "y" },
      { tenant: "x", agent: name, sessionId: "y" },
      { tenant: "x", agent: "y", sessionId: name },
    ]);
    for (const one of keys) await store.append(one, [turn(JSON.stringify(one))]);
    for (const one of keys) {
      expect(contents(await store.recent(one, 10))).toEqual([JSON.stringify(one)]);
    }
    const tenant = { tenant: "a", agent: "x" };
    expect(await store.sessions(tenant, { limit: 100 })).toMatchObject([{ sessionId: "y", turns: 1 }]);
    expect(await store.clear({ ...tenant, sessionId: "y" })).toBe(1);
    const left = keys.filter((one) => one.tenant !== "a" || one.agent !== "x");
    for (const one of left) expect(await store.recent(one, 10)).toHaveLength(1);
  });

  test("of a session whose name no database can hold are refused", async () => {
    await using place = await backend.open();
    const { store } = place;
    for (const sessionId of ["nul \0", "half \ud800"]) {
      const unstorable = { ...key, sessionId };
      expect(await refusal(store.append(unstorable, [turn("x")]))).toMatchObject({
        code: "text_not_storable",
      });
    }
  });

  test("are gone after a clear, and the session begins anew", async () => {
    await using place = await backend.open();
    const { store } = place;
    await store.append(key, exchange("1"));
    expect(await store.clear(key)).toBe(2);
    expect(await store.clear(key)).toBe(0);
    expect(await store.recent(key, 10)).toEqual([]);
    expect(await store.page(key, { limit: 10 })).toEqual([]);
    expect(await store.sessions(key, { limit: 10 })).toEqual([]);
    await store.append(key, exchange("2"));
    expect(contents(await store.recent(key, 10))).toEqual(["q2", "a2"]);
    expect((await store.page(key, { limit: 10 })).map(({ seq }) => seq)).toEqual([1, 2]);
  });

  test("appended to one session at once stay in pairs, and each pair is numbered on", async () => {
    await using place = await backend.open();
    const { store } = place;
    const count = 24;
    await Promise.all(Array.from({ length: count }, (_, index) => store.append(key, exchange(`${index}`))));
    const stored = contents(await store.recent(key, 100));
    expect(stored).toHaveLength(2 * count);
    for (let at = 0; at < stored.length; at += 2) expect(stored[at + 1]).toBe(stored[at]?.replace("q", "a"));
    const numbered = await store.page(key, { limit: 100 });
    expect(numbered.map(({ seq }) => seq)).toEqual(
      Array.from({ length: 2 * count }, (_, index) => index + 1),
    );
    expect(contents(numbered)).toEqual(stored);
    expect(await store.sessions(key, { limit: 5 })).toMatchObject([{ turns: 2 * count }]);
  });

  test("cleared while others are appended: what is left is whole exchanges, and all of them are listed", async () => {
    await using place = await backend.open();
    const { store } = place;
    const operation = fc.oneof({ weight: 3, arbitrary: fc.constant("append") }, fc.constant("clear"));
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 4, maxLength: 12 }), async (script) => {
        await store.clear(key);
        await Promise.all(
          script.map((name, index) =>
            name === "append" ? store.append(key, exchange(`${index}`)) : store.clear(key),
          ),
        );
        const stored = contents(await store.recent(key, 100));
        for (let at = 0; at < stored.length; at += 2)
          expect(stored[at + 1]).toBe(stored[at]?.replace("q", "a"));
        const listed = await store.sessions(key, { limit: 5 });
        expect(listed.map(({ turns }) => turns)).toEqual(stored.length === 0 ? [] : [stored.length]);
        expect(await store.page(key, { limit: 100 })).toHaveLength(stored.length);
      }),
      { numRuns: 15 },
    );
  });

  test("that a model says and no database can hold are kept with U+FFFD in place of that", async () => {
    await using place = await backend.open();
    const { store } = place;
    const metadata = { "k\0": ["\ud800", "\\u0000", "fine"] };
    const content = "nul \0, half \udc00, whole 😀 | مرحبا \u202e";
    await store.append(key, [{ ...turn("x"), content, metadata }]);
    const [stored] = await store.recent(key, 1);
    expect(stored?.content).toBe("nul \u{fffd}, half \u{fffd}, whole 😀 | مرحبا \u202e");
    expect(stored?.metadata).toEqual({ "k\u{fffd}": ["\u{fffd}", "\\u0000", "fine"] });
  });

  test("of 8 MiB are kept whole; what is longer is kept up to there, and says so", async () => {
    await using place = await backend.open();
    const { store } = place;
    const large = "😀x".repeat((8 * 1024 * 1024) / 4).slice(0, 8 * 1024 * 1024);
    await store.append(key, [{ ...turn("x"), content: large }, turn("after", "assistant")]);
    const [first, second] = await store.recent(key, 2);
    expect(first?.content === large.toWellFormed()).toBe(true);
    expect(second?.content).toBe("after");
    await store.append(key, [{ ...turn("x"), content: `${"y".repeat(8 * 1024 * 1024)}rest` }]);
    const [cut] = await store.recent(key, 1);
    expect(cut?.content.length).toBe(8 * 1024 * 1024);
    expect(cut?.metadata).toEqual({ trace_id: "x", cut_from_characters: 8 * 1024 * 1024 + 4 });
  });

  test("outlive the store that kept them", async () => {
    await using place = await backend.open();
    await place.store.append(key, exchange("1"));
    if (place.reopen === undefined) return;
    const again = await place.reopen();
    expect(await again.recent(key, 10)).toEqual(exchange("1"));
    await again.append(key, exchange("2"));
    expect((await again.page(key, { limit: 10 })).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  test("are shown page by page from the last one back, each once", async () => {
    await using place = await backend.open();
    const { store } = place;
    for (let number = 1; number <= 5; number++) await store.append(key, exchange(`${number}`));
    const pages: number[][] = [];
    for (let before: number | undefined; ; ) {
      const page = await store.page(key, { limit: 4, before });
      if (page.length === 0) break;
      pages.push(page.map(({ seq }) => seq));
      before = page[0]?.seq;
    }
    expect(pages).toEqual([
      [7, 8, 9, 10],
      [3, 4, 5, 6],
      [1, 2],
    ]);
    expect(await store.page(key, { limit: 3, before: 1 })).toEqual([]);
    expect((await store.page(key, { limit: 3, before: 99 })).map(({ seq }) => seq)).toEqual([8, 9, 10]);
    expect(await store.page({ ...key, sessionId: "none" }, { limit: 3 })).toEqual([]);
  });
});
