import { expect, test } from "bun:test";
import { inProcessConversations } from "../../../src/services/daemon/memory/stores/in-process-store.ts";
import { recorded, replayed } from "../../support/cassettes.ts";
import { stage, told } from "../../support/staged-run.ts";

test("a run that was shown a summary is played with what it was shown, and sums up nothing", async () => {
  const memory = inProcessConversations();
  const spec = { memory: { conversational: { strategy: "summary", max_turns: 2 } } };
  const key = { tenant: "t", agent: "staged", sessionId: "s" };
  const first = stage({ memory, spec, calls: ["a1", "a2"] });
  await first.run({ query: "q1" });
  await first.run({ query: "q2" });
  const claim = await memory.summaries.claim(key, first.clock.now(), first.clock.now());
  if (claim === undefined) throw new Error("no session");
  await memory.summaries.save(key, claim, {
    text: "Ann asked q1.",
    tokenCount: 4,
    upTo: 2,
    at: first.clock.now(),
  });
  const run = stage({ memory, spec, calls: ["a3"] });
  const grown: string[] = [];
  run.ports.conversationGrew = (_agent, { sessionId }) => grown.push(sessionId);
  const { cassette, played } = await recorded(run, { query: "q3" });
  expect(played.result?.response).toBe("a3");
  expect(told(run.model)[1]).toContain("Ann asked q1.");
  expect(grown).toEqual(["s"]);
  await memory.clear(key);
  const report = await replayed(cassette);
  expect(report).toMatchObject({ mode: "replay", identical: true });
  expect(grown).toEqual(["s"]);
});
