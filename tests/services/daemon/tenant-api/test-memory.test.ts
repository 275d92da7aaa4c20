import { describe, expect, test } from "bun:test";
import type { RuntimeRun } from "../../../../src/contracts/runtime/runs.ts";
import { startTenantRuntime } from "../../../support/tenant-runtime.ts";

/*
 * What a run leaves for later real runs, by what it stores. Tests in the cloud send `nothing` or `apart`, runs of evals `nothing` or
 * `conversation`, and the playgrounds and emulated accounts `conversation`, in sessions of their own.
 */

const word = "plum";

const memories = {
  conversation: { conversational: { strategy: "sliding_window", max_turns: 20 } },
  semantic: { conversational: { strategy: "sliding_window", max_turns: 20 }, semantic: {} },
  episodic: { conversational: { strategy: "sliding_window", max_turns: 20 }, episodic: {} },
} as const;

type Kind = keyof typeof memories;
type Remember = NonNullable<RuntimeRun["remember"]> | "everything";

/** Returns what the model reads in a real run after a run that said the word: in the same session, and in another one. */
async function later(kind: Kind, remember: Remember): Promise<Record<"same" | "other", boolean>> {
  await using runtime = await startTenantRuntime();
  const name = await runtime.register({ memory: memories[kind] });
  const trial = remember === "everything" ? {} : { remember };
  for (let turn = 0; turn < 4; turn++)
    await runtime.run(name, { query: `my favourite fruit is ${word}`, session_id: "s1", ...trial });
  const read = async (session_id: string) => {
    await runtime.run(name, { query: "what is my favourite fruit?", session_id });
    return JSON.stringify(runtime.lab.requests.at(-1)?.body).includes(word);
  };
  return { other: await read("s2"), same: await read("s1") };
}

describe.each(Object.keys(memories) as Kind[])("an agent with %s memory", (kind) => {
  test.each<[Remember, boolean]>([
    ["nothing", false],
    ["apart", false],
    ["conversation", true],
    ["everything", true],
  ])("after a run that stores %s", async (remember, inSession) => {
    const crosses = remember === "everything" && (kind === "semantic" || kind === "episodic");
    expect(await later(kind, remember)).toEqual({ same: inSession, other: crosses });
  });
});

test("runs that store apart continue each other's session, under the id that the caller gave", async () => {
  await using runtime = await startTenantRuntime();
  const name = await runtime.register({
    memory: memories.conversation,
    prompts: { system: "The session is {{ session_id }}." },
  });
  const first = await runtime.run(name, { query: `my word is ${word}`, session_id: "s1", remember: "apart" });
  expect(first.ended.result).toMatchObject({ session_id: "s1" });
  await runtime.run(name, { query: "what is my word?", session_id: "s1", remember: "apart" });
  const told = JSON.stringify(runtime.lab.requests.at(-1)?.body);
  expect(told).toContain(word);
  expect(told).toContain("The session is s1.");
  // A real run can't name the session of a test.
  await runtime.run(name, { query: "what is my word?", session_id: "test:s1" });
  expect(JSON.stringify(runtime.lab.requests.at(-1)?.body)).not.toContain(word);
});
