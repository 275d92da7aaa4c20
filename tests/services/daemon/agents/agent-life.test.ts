import { expect, test } from "bun:test";
import type { RunnableAgent } from "../../../../src/engine/agents/runnable-agent.ts";
import type { ConversationStore } from "../../../../src/engine/memory/conversation.ts";
import { beginLife } from "../../../../src/services/daemon/agents/agent-life.ts";

const key = { tenant: "t", agent: "a", sessionId: "s" };

/** A memory that counts appends, each of which ends when the test says so. */
function slowMemory() {
  const waiting: (() => void)[] = [];
  let appended = 0;
  const store: ConversationStore = {
    recent: async () => [],
    clear: async () => 0,
    append: () =>
      new Promise((resolve) => {
        waiting.push(() => {
          appended++;
          resolve();
        });
      }),
  };
  const agent = { name: "a", memory: { store } } as unknown as RunnableAgent;
  return {
    agent,
    finish: () => void waiting.splice(0).forEach((end) => void end()),
    get appended() {
      return appended;
    },
  };
}

test("an end waits for what is being written, and nothing is written after it until it is taken back", async () => {
  const memory = slowMemory();
  const life = beginLife();
  const { store } = life.bind(memory.agent).memory;
  const written = store.append(key, []);
  let hasEnded = false;
  const ending = life.end().then(() => {
    hasEnded = true;
  });
  await Promise.resolve();
  expect(hasEnded).toBe(false);
  memory.finish();
  await Promise.all([written, ending]);
  expect(memory.appended).toBe(1);

  await store.append(key, []);
  memory.finish();
  expect(memory.appended).toBe(1);

  life.resume();
  const again = store.append(key, []);
  memory.finish();
  await again;
  expect(memory.appended).toBe(2);
});

test("writes to other memories are waited for too, and none begins after the end", async () => {
  const life = beginLife();
  const { whileAlive } = life.bind(slowMemory().agent);
  if (whileAlive === undefined) throw new Error("the agent has no life");
  const writing = Promise.withResolvers<string>();
  const written = whileAlive(() => writing.promise);
  let hasEnded = false;
  const ending = life.end().then(() => {
    hasEnded = true;
  });
  let writes = 0;
  const write = async () => ++writes;
  expect(await whileAlive(write)).toBeUndefined();
  expect([hasEnded, writes]).toEqual([false, 0]);
  writing.resolve("stored");
  expect(await written).toBe("stored");
  await ending;

  life.resume();
  expect(await whileAlive(write)).toBe(1);
  // A failed write ends too.
  const failure = new Error("the store is away");
  expect(await whileAlive(() => Promise.reject(failure)).catch((thrown) => thrown)).toBe(failure);
  await life.end();
});
