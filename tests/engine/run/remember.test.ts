import { expect, test } from "bun:test";
import type { RecallParts } from "../../../src/engine/agents/recall-sources.ts";
import { stage } from "../../support/staged-run.ts";

/** An agent with all memories, and what its runs wrote into the long-term ones. */
function rememberingStage() {
  const written: string[] = [];
  const recall: RecallParts = {
    semanticOf: () => ({ recall: async () => [], keep: async () => void written.push("semantic") }),
    episodicOf: () => ({ recall: async () => [], record: async () => void written.push("episodic") }),
  };
  const memory = { conversational: {}, semantic: {}, episodic: {} };
  return { staged: stage({ spec: { memory }, recall, calls: ["hello"] }), written };
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
