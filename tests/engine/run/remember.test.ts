import { expect, test } from "bun:test";
import type { RecallParts } from "../../../src/engine/agents/recall-sources.ts";
import { inProcessConversations } from "../../../src/services/daemon/memory/stores/in-process-store.ts";
import { endOfAnswer } from "../../support/scripted-model.ts";
import { type StageOptions, stage } from "../../support/staged-run.ts";

/** An agent with all memories, and what its runs wrote into the long-term ones. */
function rememberingStage(more: Partial<StageOptions> = {}) {
  const written: string[] = [];
  const forget = (memory: string) => async () => void written.push(`forgot ${memory}`);
  const recall: RecallParts = {
    semanticOf: () => ({
      recall: async () => [],
      keep: async () => void written.push("semantic"),
      forgetSession: forget("semantic"),
    }),
    episodicOf: () => ({
      recall: async () => [],
      record: async () => void written.push("episodic"),
      forgetSession: forget("episodic"),
    }),
  };
  const memory = { conversational: {}, semantic: {}, episodic: {} };
  return { staged: stage({ spec: { memory }, recall, calls: ["hello"], ...more }), written };
}

test.each([
  [undefined, 2, ["semantic", "episodic"]],
  ["conversation", 2, []],
  ["nothing", 0, []],
] as const)("a run that may remember %s stores %d turns and writes %j", async (remember, turns, expected) => {
  const { staged, written } = rememberingStage();
  const { thrown } = await staged.run({ sessionId: "s", ...(remember && { remember }) });
  expect(thrown).toBeUndefined();
  expect(await staged.turns("s")).toHaveLength(turns);
  expect(written).toEqual([...expected]);
});

const key = { tenant: "t", agent: "staged", sessionId: "s" };

test("a run whose session is ended while it is in progress stores nothing; a later one does", async () => {
  const memory = inProcessConversations();
  const { staged, written } = rememberingStage({
    memory,
    calls: [
      async function* () {
        await staged.clock.advance(1000);
        await memory.end(key, staged.clock.now());
        yield { type: "text", text: "hello" };
        yield endOfAnswer;
      },
      "hello again",
    ],
  });
  expect((await staged.run({ tenant: "t", sessionId: "s" })).thrown).toBeUndefined();
  expect(await staged.turns("s")).toEqual([]);
  expect(written).toEqual([]);
  await staged.clock.advance(1);
  await staged.run({ tenant: "t", sessionId: "s" });
  expect(await staged.turns("s")).toHaveLength(2);
  expect(written).toEqual(["semantic", "episodic"]);
});

test("what a run stored although its session was ended in that moment is deleted", async () => {
  const store = inProcessConversations();
  const memory = {
    ...store,
    async append(...args: Parameters<typeof store.append>) {
      await staged.clock.advance(1000);
      await store.end(key, staged.clock.now());
      await store.append(...args);
    },
  };
  const { staged, written } = rememberingStage({ memory });
  await staged.run({ tenant: "t", sessionId: "s" });
  expect(await staged.turns("s")).toEqual([]);
  expect(written).toEqual(["semantic", "episodic", "forgot semantic", "forgot episodic"]);
});

test("a failed run whose session was ended leaves no episode, and one that paused began before its pause", async () => {
  const memory = inProcessConversations();
  const failing = rememberingStage({ memory, calls: [new Error("down")] });
  await memory.end(key, new Date(failing.staged.clock.now().getTime() + 1000));
  await failing.staged.run({ tenant: "t", sessionId: "s" });
  const { staged, written } = rememberingStage({ memory });
  await staged.clock.advance(5000);
  await staged.run({ tenant: "t", sessionId: "s", begunAtMs: staged.clock.now().getTime() - 5000 });
  expect([...failing.written, ...written]).toEqual([]);
  expect(await staged.turns("s")).toEqual([]);
});
