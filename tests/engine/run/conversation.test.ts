import { describe, expect, test } from "bun:test";
import { asks, type StageOptions, stage, told } from "../../support/staged-run.ts";

const remembering = (conversational: object, options: StageOptions = {}) =>
  stage({
    ...options,
    spec: { prompts: { system: "S" }, memory: { conversational }, ...options.spec },
    calls: options.calls ?? Array.from({ length: 20 }, (_, index) => `a${index + 1}`),
  });

async function talk(run: ReturnType<typeof stage>, questions: number): Promise<string[]> {
  for (let number = 1; number <= questions; number++) await run.run({ query: `q${number}` });
  return told(run.model).map((line) => line.replace(/^\w+: /, ""));
}

describe("a conversation", () => {
  test("is sent to the model from its beginning while it fits", async () => {
    const run = remembering({});
    expect(await talk(run, 3)).toEqual(["S", "q1", "a1", "q2", "a2", "q3"]);
    expect((await run.turns()).map(({ role, content }) => `${role} ${content}`)).toEqual([
      "user q1",
      "assistant a1",
      "user q2",
      "assistant a2",
      "user q3",
      "assistant a3",
    ]);
    const [, , , last] = await run.turns();
    expect(last).toEqual({
      role: "assistant",
      content: "a2",
      at: run.clock.now(),
      tokenCount: 1,
      metadata: { trace_id: run.traces[1]?.trace_id },
    });
  });

  test("keeps its last messages in view, and whole exchanges only", async () => {
    expect(await talk(remembering({ max_turns: 4 }), 4)).toEqual(["S", "q2", "a2", "q3", "a3", "q4"]);
    expect(await talk(remembering({ max_turns: 3 }), 4)).toEqual(["S", "q3", "a3", "q4"]);
    expect(await talk(remembering({ max_turns: 1 }), 4)).toEqual(["S", "q4"]);
  });

  test("keeps what fits into its budget", async () => {
    // A message of one token costs five.
    const budget = (tokens: number) =>
      talk(remembering({ strategy: "token_budget", token_budget: tokens }), 4);
    expect(await budget(20)).toEqual(["S", "q2", "a2", "q3", "a3", "q4"]);
    expect(await budget(19)).toEqual(["S", "q3", "a3", "q4"]);
    expect(await budget(9)).toEqual(["S", "q4"]);
  });

  test("gives way where the model's window is small: the query always goes", async () => {
    const window = (contextWindow: number) =>
      talk(remembering({}, { contextWindow, spec: { model: modelOf(100) } }), 3);
    // 100 for the answer, 5 each for prompt, query and message.
    expect(await window(130)).toEqual(["S", "q1", "a1", "q2", "a2", "q3"]);
    expect(await window(129)).toEqual(["S", "q2", "a2", "q3"]);
    expect(await window(50)).toEqual(["S", "q3"]);
  });

  test("of another session, agent or tenant is not this one's", async () => {
    const run = remembering({});
    await run.run({ query: "mine" });
    await run.run({ query: "other session", sessionId: "s2" });
    expect(told(run.model)).toEqual(["system: S", "user: other session"]);
    await run.run({ query: "other tenant", tenant: "t2" });
    expect(told(run.model)).toEqual(["system: S", "user: other tenant"]);
    expect(await run.turns("s2")).toHaveLength(2);
  });

  test("holds questions and answers, not what tools said on the way", async () => {
    const run = remembering(
      {},
      {
        calls: [asks("Wait.", "one"), "Done.", "Sure."],
        tools: [{ name: "one", execute: async () => ({ success: true, data: 1 }) }],
      },
    );
    await run.run({ query: "go" });
    await run.run({ query: "sure?" });
    expect(told(run.model)).toEqual(["system: S", "user: go", "assistant: Wait.\n\nDone.", "user: sure?"]);
  });
});

describe("a conversation that the caller brings", () => {
  test("is sent unchanged, with anything in memory, and nothing is stored", async () => {
    const run = remembering({ max_turns: 2 });
    await run.run({ query: "kept" });
    const history = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "one" },
      { role: "assistant", content: "two" },
      { role: "user", content: "three" },
      { role: "assistant", content: "four" },
    ] as const;
    await run.run({ query: "five", history });
    expect(told(run.model)).toEqual([
      "system: S",
      "system: Be brief.",
      "user: one",
      "assistant: two",
      "user: three",
      "assistant: four",
      "user: five",
    ]);
    expect((await run.turns()).map(({ content }) => content)).toEqual(["kept", "a1"]);
    expect(run.traces[1]?.spans.map(({ name }) => name)).not.toContain("memory_persist");
  });

  test("is what prompts see as history", async () => {
    const system = "{% for turn in conversation_history %}{{ turn.role }}={{ turn.content }};{% endfor %}";
    const run = remembering({}, { spec: { prompts: { system } } });
    await run.run({
      query: "q",
      history: [
        { role: "system", content: "no" },
        { role: "user", content: "yes" },
      ],
    });
    expect(told(run.model)[0]).toBe("system: user=yes;");
    await run.run({ query: "first" });
    await run.run({ query: "second" });
    expect(told(run.model)[0]).toBe("system: user=first;assistant=a2;");
  });
});

test("prompts have the caller's context, and the context prompt comes before the query", async () => {
  const run = stage({
    spec: {
      prompts: {
        system: "{{ agent_name }} for {{ customer.name }}{{ missing.deeply }}",
        context: "Plan: {{ plan }}",
      },
    },
  });
  await run.run({ query: "Hello", context: { customer: { name: "Ann" }, plan: "gold" } });
  expect(told(run.model)).toEqual(["system: staged for Ann", "user: Plan: gold\n\nHello"]);
  expect((await run.turns())[0]?.content).toBe("Hello");
});

function modelOf(maxTokens: number) {
  return { primary: { provider: "rehearsal", model: "rehearsal", parameters: { max_tokens: maxTokens } } };
}
