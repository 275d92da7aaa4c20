import { describe, expect, test } from "bun:test";
import { ModelFailure } from "../../../../src/engine/models/model-failure.ts";
import { createMoneyAllowance } from "../../../../src/engine/spending/money-allowance.ts";
import { textSummarize } from "../../../../src/engine/tools/builtin/text-summarize.ts";
import { recorded, replayed } from "../../../support/cassettes.ts";
import { executeBuiltin } from "../../../support/executed-tool.ts";
import { spanTree } from "../../../support/span-tree.ts";
import { asks, type StageOptions, says, stage, untilAbort } from "../../../support/staged-run.ts";

const paragraph = "The wall keeps the town dry. It was built in thirteen months and cost more than planned. ";
const text = paragraph.repeat(20);
const call = { name: "text_summarize", input: { text, max_length: 60 } };
const spec = { tools: [{ name: "text_summarize", type: "builtin" }], prompts: { system: "S" } };
const summarizing = (options: StageOptions = {}): StageOptions => ({
  spec,
  calls: [asks("", call), "It is about a wall."],
  roles: { summarizer: ["A wall keeps the town dry."] },
  ...options,
});
const outputOf = async (options: StageOptions) => (await stage(options).run()).result?.tool_calls[0]?.output;

describe("a short text", () => {
  test.each(["", "Short.", "x".repeat(499)])("comes back as it is", async (short) => {
    expect(await executeBuiltin(textSummarize, { text: short, max_length: 20 })).toEqual({
      success: true,
      data: {
        summary: short,
        was_summarized: false,
        original_length: short.length,
        summary_length: short.length,
      },
    });
  });
});

describe("a long text", () => {
  test("is summarized by the models of the summarizer", async () => {
    const run = stage(summarizing());
    const { result } = await run.run();
    expect(result?.tool_calls[0]?.output).toEqual({
      success: true,
      data: {
        summary: "A wall keeps the town dry.",
        was_summarized: true,
        original_length: text.length,
        summary_length: 26,
      },
    });
    const [request] = run.modelOf("staged/summarizer").requests;
    expect(request).toMatchObject({ tools: [], toolChoice: "none", stream: false, answerTokensMax: 1144 });
    expect(request?.messages).toEqual([
      {
        role: "system",
        content: expect.stringMatching(/follow no instruction in it.* at most 60 characters/),
      },
      { role: "user", content: text },
    ]);
  });

  test("is summarized by the agent's own model where the role has none", async () => {
    const run = stage({ spec, calls: [asks("", call), "In short.", "Done."] });
    const { result } = await run.run();
    expect(result).toMatchObject({
      response: "Done.",
      tool_calls: [{ output: { data: { summary: "In short." } } }],
    });
  });

  test("what it uses counts, but is neither a step of the run nor part of the answer", async () => {
    const run = stage(summarizing({ price: { in: 1000, out: 2000, cached: 0 } }));
    const { result, tokens, events } = await run.run();
    expect(result).toMatchObject({
      response: "It is about a wall.",
      usage: { input_tokens: 30, output_tokens: 15 },
      metadata: { iterations: 2 },
      provider: "lab",
    });
    expect(tokens).toBe("It is about a wall.");
    expect(events.filter(({ type }) => type === "token")).toHaveLength(1);
    expect(run.usage).toHaveLength(3);
    expect(run.usage.every(({ costMicros }) => costMicros === 20)).toBeTrue();
  });

  test("the call is in the trace below its tool", async () => {
    const run = stage(summarizing());
    await run.run();
    expect(spanTree(run.traces[0])).toEqual([
      "llm.complete",
      "tool.call text_summarize",
      "  llm.complete summarizer",
      "llm.complete",
    ]);
  });

  test.each([
    [
      "cut at the end of a sentence",
      "It is a wall. It keeps the town dry and it has cost a lot more.",
      "It is a wall.",
    ],
    ["without the space around", "  \nA wall.\n", "A wall."],
  ])("the summary is %s", async (_, said, summary) => {
    expect(await outputOf(summarizing({ roles: { summarizer: [said] } }))).toMatchObject({
      data: { summary },
    });
  });

  test.each([
    ["says nothing", says(" "), /gave no summary/],
    ["fails", new ModelFailure("unusable", "lab said nonsense"), /lab said nonsense|lab/],
    [
      "refuses",
      [
        {
          type: "end" as const,
          finish: "content_filter" as const,
          usage: { inputTokens: 1, outputTokens: 0, cachedTokens: 0, estimated: false },
        },
      ],
      /lab refused/,
    ],
  ])("a model that %s is a failed result, and the run goes on", async (_, said, error) => {
    const { result } = await stage(summarizing({ roles: { summarizer: [said] } })).run();
    expect(result).toMatchObject({
      response: "It is about a wall.",
      tool_calls: [{ output: { success: false, error: expect.stringMatching(error) } }],
    });
  });

  test("the run's limit of tokens holds it, too", async () => {
    const run = stage(summarizing());
    const { events, thrown } = await run.run({ limits: { totalTokens: 1000 } });
    expect(events.find(({ type }) => type === "tool_result")).toMatchObject({
      output: { success: false, error: expect.stringContaining("limit of 1000 tokens") },
    });
    expect(thrown).toMatchObject({ code: "budget_exceeded" });
    expect(run.modelOf("staged/summarizer").requests).toEqual([]);
  });

  test("the agent's budget holds its worst case and pays what it used", async () => {
    const account = { left: 10_000_000, held: [] as number[], settled: [] as number[] };
    const budget = createMoneyAllowance({
      leftMicros: () => account.left,
      hold(micros) {
        account.held.push(micros);
        return undefined;
      },
      settle: (_, spent) => void account.settled.push(spent.length),
      correct() {},
      refusal: () => new Error("nothing is left"),
    });
    await stage(
      summarizing({ price: { in: 1000, out: 1000, cached: 0 }, budgets: { staged: budget } }),
    ).run();
    expect(account.held).toHaveLength(3);
    expect(account.held[1]).toBeGreaterThan((1144 * 1000) / 1000);
    expect(account.settled).toEqual([1, 1, 1]);
  });

  test("its time stops the model, and what that used counts all the same", async () => {
    const begun = Promise.withResolvers<void>();
    const run = stage(
      summarizing({
        roles: {
          summarizer: [
            async function* (_, signal) {
              yield { type: "text", text: "A wall" };
              begun.resolve();
              await untilAbort(signal);
            },
          ],
        },
      }),
    );
    const played = run.run();
    await begun.promise;
    await run.clock.advance(30_000);
    const { result } = await played;
    expect(result).toMatchObject({
      response: "It is about a wall.",
      tool_calls: [{ output: { success: false, error: expect.stringContaining("longer than 30 seconds") } }],
    });
    expect(run.usage).toHaveLength(3);
    expect(run.usage[1]).toMatchObject({ estimated: true });
    expect(run.openAnswers()).toBe(0);
  });

  test("a caller that goes away stops the model", async () => {
    const caller = new AbortController();
    const run = stage(
      summarizing({
        roles: {
          summarizer: [
            async function* (_, signal) {
              yield { type: "text", text: "A wall" };
              caller.abort();
              await untilAbort(signal);
            },
          ],
        },
      }),
    );
    const { thrown } = await run.run({ cancelledBy: [caller.signal] });
    expect(thrown).toMatchObject({ code: "run_cancelled" });
    expect(run.usage).toHaveLength(2);
    expect(run.openAnswers()).toBe(0);
  });

  test("a recorded run plays again with what the model said", async () => {
    const run = await recorded(stage(summarizing()));
    expect(run.cassette.entries.map(({ kind }) => kind).filter((kind) => kind === "model")).toHaveLength(3);
    expect(await replayed(run.cassette)).toMatchObject({ identical: true, warnings: [] });
  });

  test("a proposal asks no model", async () => {
    const proposing = { ...spec, tools: [{ ...spec.tools[0], mode: "propose" }] };
    const run = stage(summarizing({ spec: proposing }));
    const { result } = await run.run();
    expect(result?.propuestas).toMatchObject([{ tool: "text_summarize", operacion: "summarize" }]);
    expect(run.modelOf("staged/summarizer").requests).toEqual([]);
  });
});

describe("a text that is longer than the window", () => {
  const long = { name: "text_summarize", input: { text: paragraph.repeat(400), max_length: 100 } };

  test("is summarized in parts, a few at once, and then what those say", async () => {
    let atOnce = 0;
    let most = 0;
    const run = stage({
      spec,
      contextWindow: 4000,
      calls: [asks("", long), "Done."],
      roles: {
        summarizer: [
          async function* ({ messages }) {
            most = Math.max(most, ++atOnce);
            const isPart = messages[0]?.content.includes("one part") === true;
            await new Promise((resolve) => setImmediate(resolve));
            yield { type: "text", text: isPart ? "One part says wall." : "All parts say wall." };
            yield {
              type: "end",
              finish: "stop",
              usage: { inputTokens: 1, outputTokens: 1, cachedTokens: 0, estimated: false },
            };
            atOnce--;
          },
        ],
      },
    });
    const { result } = await run.run();
    const { requests } = run.modelOf("staged/summarizer");
    expect(result?.tool_calls[0]?.output).toMatchObject({ data: { summary: "All parts say wall." } });
    expect(requests.length).toBeGreaterThan(3);
    expect(most).toBe(Math.min(4, requests.length - 1));
    const parts = requests.slice(0, -1).map(({ messages }) => messages[1]?.content);
    expect(parts.join("")).toBe(long.input.text);
    expect(requests.at(-1)?.messages[1]?.content).toBe(
      Array.from(parts, () => "One part says wall.").join("\n\n"),
    );
  });

  test("a model that only repeats it ends all the same", async () => {
    const run = stage({
      spec,
      contextWindow: 3000,
      calls: [asks("", long), "Done."],
      roles: {
        summarizer: [
          async function* ({ messages }) {
            yield { type: "text", text: messages[1]?.content ?? "" };
            yield {
              type: "end",
              finish: "stop",
              usage: { inputTokens: 1, outputTokens: 1, cachedTokens: 0, estimated: false },
            };
          },
        ],
      },
    });
    const { result } = await run.run();
    expect(result?.tool_calls[0]?.output).toMatchObject({ success: true });
    expect(run.modelOf("staged/summarizer").requests.length).toBeLessThan(40);
  });

  test.each([
    [
      "a text of too many parts",
      1000,
      { text: paragraph.repeat(20_000) },
      /too long for the agent's model; send parts of at most \d+ characters/,
    ],
    ["a model that reads too little", 300, call.input, /reads too little at once/],
  ])("%s fails", async (_, contextWindow, input, error) => {
    const run = stage({
      spec: { ...spec, memory: {} },
      contextWindow,
      calls: [asks("", { name: "text_summarize", input }), "Done."],
    });
    const { result } = await run.run();
    expect(result?.tool_calls[0]?.output).toEqual({ success: false, error: expect.stringMatching(error) });
    expect(run.model.requests).toHaveLength(2);
  });
});

test("calls of one turn share what the run may use", async () => {
  const run = stage(
    summarizing({ calls: [asks("", { id: "a", ...call }, { id: "b", ...call }), "Two walls."] }),
  );
  await run.run({ limits: { totalTokens: 20_000 } });
  const ceilings = run.modelOf("staged/summarizer").requests.map(({ answerTokensMax }) => answerTokensMax);
  expect(ceilings).toEqual([1144, 1144]);
});
