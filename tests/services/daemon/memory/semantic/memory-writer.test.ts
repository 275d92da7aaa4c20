import { expect, test } from "bun:test";
import { silentLogger } from "../../../../../src/kit/log.ts";
import type { MemoryIndex } from "../../../../../src/retrieval/memory/memory-index.ts";
import { MemoryWriter } from "../../../../../src/services/daemon/memory/semantic/memory-writer.ts";
import { tables } from "../../../../../src/services/daemon/tables.ts";
import { FakeClock, settle } from "../../../../support/fake-clock.ts";
import { onEachEngine } from "../../../../support/storage-engines.ts";

const never = new AbortController().signal;
const ownerOf = (agent: string) => ({ tenant: "t", agent });

onEachEngine("the memory writer", (engine) => {
  /** Agents whose name begins with `dead` have a store that accepts a call and never answers, until `heal`. */
  async function setUp() {
    const held = new AsyncDisposableStack();
    const storage = held.use(await engine.open({ service: "daemon", tables }));
    const clock = new FakeClock();
    const dead = Promise.withResolvers<void>();
    const stuck = { texts: 0, textsMax: 0, agents: new Set<string>() };
    const kept = new Map<string, number>();
    const index = {
      embedder: { dimension: async () => 3 },
      async add({ agent }: { agent: string }, texts: readonly unknown[]) {
        if (agent.startsWith("dead")) {
          stuck.agents.add(agent);
          stuck.texts += texts.length;
          stuck.textsMax = Math.max(stuck.textsMax, stuck.texts);
          await dead.promise;
          stuck.texts -= texts.length;
        }
        kept.set(agent, (kept.get(agent) ?? 0) + texts.length);
      },
    } as unknown as MemoryIndex;
    const writer = new MemoryWriter({
      storage,
      process: "p1",
      clock,
      log: silentLogger,
      failed: () => {},
      personOf: (tenant) => (tenant.startsWith("greedy") ? "one person" : tenant),
      wayOf: ({ agent }) => (agent.startsWith("dead") ? "dead" : "fine"),
      indexOf: async () => index,
    });
    held.defer(async () => {
      dead.resolve();
      await writer.idle();
    });
    let number = 0;
    const put = (agent: string, count: number) =>
      writer.put(
        ownerOf(agent),
        Array.from({ length: count }, () => {
          const id = `w${String(number++).padStart(6, "0")}`;
          const texts = [{ id, text: "plum", metadata: {} }];
          return { ...ownerOf(agent), id, sessionId: "s", user: "", origin: id, texts };
        }),
      );
    /** Puts texts of an agent of any tenant. */
    const putOf = (tenant: string, agent: string, count: number) =>
      writer.put(
        { tenant, agent },
        Array.from({ length: count }, () => {
          const id = `w${String(number++).padStart(6, "0")}`;
          const texts = [{ id, text: "plum", metadata: {} }];
          return { tenant, agent, id, sessionId: "s", user: "", origin: id, texts };
        }),
      );
    return { held, writer, put, putOf, kept, stuck, heal: () => dead.resolve() };
  }

  test("a store that never answers does not hold up writes to other stores", async () => {
    const { held, writer, put, kept } = await setUp();
    await using _ = held;
    for (let agent = 0; agent < 8; agent++) await put(`dead-${agent}`, 100);
    for (let time = 1; time <= 3; time++) {
      await put("fine", 10);
      // The clock does not move: nothing here waits for a time limit.
      await writer.settled(ownerOf("fine"), never);
      expect(kept.get("fine")).toBe(10 * time);
    }
  });

  test("what is in hand for one store is bounded, and the rest follows when it is back", async () => {
    const { held, writer, put, kept, stuck, heal } = await setUp();
    await using _ = held;
    for (let agent = 0; agent < 8; agent++) await put(`dead-${agent}`, 100);
    await put("fine", 1);
    await writer.settled(ownerOf("fine"), never);
    expect(stuck.textsMax).toBeGreaterThan(0);
    expect(stuck.textsMax).toBeLessThanOrEqual(256);
    heal();
    await writer.idle();
    expect([...kept.values()].reduce((sum, count) => sum + count)).toBe(801);
  });

  test("one person's three tenants leave room on the way to a store that others use", async () => {
    const { held, writer, putOf, stuck, heal, kept } = await setUp();
    await using _ = held;
    for (const tenant of ["greedy 1", "greedy 2", "greedy 3"]) {
      for (let agent = 0; agent < 4; agent++) await putOf(tenant, `dead-${agent}`, 100);
    }
    await putOf("modest", "dead-modest", 1);
    // The modest one's text is on its way to the store, behind none of those that wait.
    while (!stuck.agents.has("dead-modest")) await settle();
    expect(stuck.texts).toBeLessThanOrEqual(192 + 1);
    heal();
    await writer.idle();
    expect([...kept.values()].reduce((sum, count) => sum + count)).toBe(1_201);
  });
});
