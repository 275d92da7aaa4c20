import { expect, test } from "bun:test";
import type { Turn } from "../../../src/engine/memory/conversation.ts";
import { conversationStore } from "../../../src/services/daemon/memory/store.ts";
import { migrations } from "../../../src/services/daemon/migrations.gen.ts";
import { tables } from "../../../src/services/daemon/tables.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

const key = { tenant: "t", agent: "a", sessionId: "s" };

const turn = (content: string, role: Turn["role"] = "user"): Turn => ({
  role,
  content,
  at: new Date("2026-11-21T10:00:00.123Z"),
  tokenCount: content.length,
  metadata: { trace_id: content },
});

const contents = (turns: readonly Turn[]) => turns.map(({ content }) => content);

onEachEngine("conversation store", (engine) => {
  const open = () => engine.open({ service: "daemon", tables, migrations });

  test("turns come back whole and in order, the last of them when there are more", async () => {
    await using storage = await open();
    const store = conversationStore(storage);
    expect(await store.recent(key, 10)).toEqual([]);
    const exchange = [turn("¿Qué hora es?"), turn("Son las 10 😀", "assistant")];
    await store.append(key, exchange);
    expect(await store.recent(key, 10)).toEqual(exchange);
    await store.append(key, [turn("x"), turn("y", "assistant"), turn("z")]);
    expect(contents(await store.recent(key, 2))).toEqual(["y", "z"]);
    expect(await store.recent(key, 0)).toEqual([]);
  });

  test("any number of turns is appended at once, or nothing", async () => {
    await using storage = await open();
    const store = conversationStore(storage);
    const many = Array.from({ length: 37 }, (_, index) => turn(`turn ${index}`));
    await store.append(key, []);
    await store.append(key, many);
    expect(await store.recent(key, 100)).toEqual(many);
    const broken = [...many.slice(0, 20), { ...turn("broken"), tokenCount: Number.NaN }];
    await expect(store.append(key, broken)).rejects.toMatchObject({ code: "number_not_representable" });
    expect(await store.recent(key, 100)).toEqual(many);
  });

  test("tenants, agents and sessions don't see each other's turns", async () => {
    await using storage = await open();
    const store = conversationStore(storage);
    const others = [
      { ...key, tenant: "T" },
      { ...key, agent: "b" },
      { ...key, sessionId: "s2" },
    ];
    await store.append(key, [turn("mine")]);
    for (const other of others) expect(await store.recent(other, 10)).toEqual([]);
    for (const other of others) await store.append(other, [turn(Object.values(other).join())]);
    expect(await store.clear(key)).toBe(1);
    expect(await store.clear(key)).toBe(0);
    expect(await store.recent(key, 10)).toEqual([]);
    for (const other of others)
      expect(contents(await store.recent(other, 10))).toEqual([Object.values(other).join()]);
  });

  test("a cleared session begins anew", async () => {
    await using storage = await open();
    const store = conversationStore(storage);
    await store.append(key, [turn("old")]);
    await store.clear(key);
    await store.append(key, [turn("new"), turn("newer")]);
    expect(contents(await store.recent(key, 10))).toEqual(["new", "newer"]);
  });

  test("exchanges appended to one session at once stay together", async () => {
    await using storage = await open();
    const store = conversationStore(storage);
    const exchange = (index: number) =>
      store.append(key, [turn(`q${index}`), turn(`a${index}`, "assistant")]);
    await Promise.all(Array.from({ length: 12 }, (_, index) => exchange(index)));
    const stored = contents(await store.recent(key, 100));
    expect(stored).toHaveLength(24);
    for (let at = 0; at < stored.length; at += 2) expect(stored[at + 1]).toBe(stored[at]?.replace("q", "a"));
  });

  test("what a model says and no database can hold is kept with U+FFFD in its place", async () => {
    await using storage = await open();
    const store = conversationStore(storage);
    const metadata = { "k\0": ["\ud800", "\\u0000", "fine"] };
    await store.append(key, [{ ...turn("nul \0, half \udc00, whole 😀"), metadata }]);
    const [stored] = await store.recent(key, 1);
    expect(stored?.content).toBe("nul \u{fffd}, half \u{fffd}, whole 😀");
    expect(stored?.metadata).toEqual({ "k\u{fffd}": ["\u{fffd}", "\\u0000", "fine"] });
  });
});
