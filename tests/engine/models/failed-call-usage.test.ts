import { describe, expect, test } from "bun:test";
import { createBreakers } from "../../../src/engine/models/breakers.ts";
import type { Usage } from "../../../src/engine/models/model.ts";
import { ModelFailure } from "../../../src/engine/models/model-failure.ts";
import type { RoutedEvent } from "../../../src/engine/models/model-router.ts";
import { findProviderKind } from "../../../src/engine/models/providers/registry.ts";
import { createRouter, type FinishedCall } from "../../../src/engine/models/router.ts";
import { newId } from "../../../src/kit/id.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { readAnswer } from "../../support/read-answer.ts";
import { requestOf, type ScriptedCall, scriptedModel } from "../../support/scripted-model.ts";
import { stage } from "../../support/staged-run.ts";

const used: Usage = { inputTokens: 100, outputTokens: 7, cachedTokens: 3, estimated: false };
const price = { in: 1000, out: 2000, cached: 100 };
const failing = (failure: "unusable" | "content_refused") => new ModelFailure(failure, "no", { usage: used });

/** Returns a provider's reading of one whole answer. */
async function answerOf(kind: string, answer: object, stream = false) {
  const model = findProviderKind(kind)?.build(
    { provider: "p", model: "m", endpoint: "http://m.example", apiKey: "k", parameters: {}, timeoutMs: 1000 },
    { clock: new FakeClock(), newId, fetch: async () => Response.json(answer) },
  );
  if (!model) throw new Error(`no kind ${kind}`);
  return readAnswer(model, requestOf("hi", { stream }));
}

describe("an invalid answer still reports its usage:", () => {
  const openAi = (message: object, finish = "stop") => ({
    choices: [{ message, finish_reason: finish }],
    usage: { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 3 } },
  });
  const claude = (content: object[], stop_reason: string) => ({
    type: "message",
    content,
    stop_reason,
    usage: { input_tokens: 97, cache_read_input_tokens: 3, output_tokens: 7 },
  });
  const calls = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ id: `c${at}`, function: { name: "t", arguments: "{}" } }));
  const table: [name: string, kind: string, answer: object, failure: string][] = [
    ["nothing said", "openai", openAi({ content: "" }), "unusable"],
    ["a refusal", "openai", openAi({ content: null, refusal: "no" }), "content_refused"],
    ["filtered", "openai", openAi({ content: "" }, "content_filter"), "content_refused"],
    ["too many calls", "openai", openAi({ tool_calls: calls(129) }), "unusable"],
    [
      "a call without a name",
      "openai",
      openAi({ tool_calls: [{ id: "c", function: { name: "" } }] }),
      "unusable",
    ],
    ["Anthropic's refusal", "anthropic", claude([], "refusal"), "content_refused"],
    ["thoughts alone", "anthropic", claude([{ type: "thinking", thinking: "hm" }], "end_turn"), "unusable"],
    [
      "Cohere's empty answer",
      "cohere",
      {
        message: { content: [] },
        finish_reason: "COMPLETE",
        usage: { billed_units: { input_tokens: 100, output_tokens: 7 }, cached_tokens: 3 },
      },
      "unusable",
    ],
  ];
  test.each(table)("%s", async (_name, kind, answer, failure) => {
    const read = await answerOf(kind, answer);
    expect(read.failure?.failure).toBe(failure as ModelFailure["failure"]);
    expect(read.failure?.usage).toMatchObject(used);
  });

  test("nothing, where the server tells nothing", async () => {
    const { failure } = await answerOf("openai", {
      choices: [{ message: { content: "" }, finish_reason: "stop" }],
    });
    expect([failure?.failure, failure?.usage]).toEqual(["unusable", undefined]);
  });
});

describe("the router tells it of every candidate that failed", () => {
  async function routed(one: readonly ScriptedCall[], two?: readonly ScriptedCall[]) {
    const clock = new FakeClock();
    const observed: FinishedCall[] = [];
    const router = createRouter({
      candidates: [
        scriptedModel({ provider: "one" }, one),
        ...(two ? [scriptedModel({ provider: "two" }, two)] : []),
      ],
      strategy: "quality_first",
      breakers: createBreakers(clock),
      clock,
      priceOf: ({ provider }) => (provider === "one" ? price : undefined),
      observe: (call) => observed.push(call),
    });
    const events: RoutedEvent[] = [];
    let thrown: unknown;
    try {
      for await (const event of router.call(requestOf("hi"), new AbortController().signal))
        events.push(event);
    } catch (error) {
      thrown = error;
    }
    return { spent: events.filter(({ type }) => type === "spent"), events, thrown, observed };
  }

  test("before the next is chosen, with its own price", async () => {
    const { events, spent, observed } = await routed([failing("unusable")], ["fine"]);
    expect(events.map(({ type }) => type)).toEqual(["spent", "chosen", "text", "end"]);
    expect(spent).toMatchObject([{ provider: "one", model: "m", usage: used, price }]);
    expect(observed.map(({ ok, usage }) => [ok, usage?.inputTokens])).toEqual([
      [false, 100],
      [true, 10],
    ]);
  });

  test("also where no other is tried", async () => {
    const { spent, thrown } = await routed([failing("content_refused")], ["never"]);
    expect(spent).toMatchObject([{ provider: "one", usage: used }]);
    expect(thrown).toMatchObject({ failure: "content_refused" });
  });

  test("also after the answer has begun", async () => {
    const { events, thrown } = await routed([{ text: "so", cutBy: failing("unusable") }], ["never"]);
    expect(events.map(({ type }) => type)).toEqual(["chosen", "text", "spent"]);
    expect(thrown).toMatchObject({ failure: "unusable" });
  });

  test("and of none that does not know", async () => {
    const { spent } = await routed([new ModelFailure("unreachable", "no")], ["fine"]);
    expect(spent).toEqual([]);
  });
});

describe("a run counts it, once", () => {
  const spends = { spec: {}, price };

  test("when it fails for it", async () => {
    const scene = stage({ ...spends, calls: [failing("content_refused")] });
    const { thrown } = await scene.run();
    expect(thrown).toMatchObject({ code: "content_refused" });
    expect(scene.usage).toMatchObject([
      {
        inputTokens: 100,
        outputTokens: 7,
        cachedTokens: 3,
        estimated: false,
        costMicros: expect.any(Number),
      },
    ]);
    expect(scene.finished).toMatchObject([{ status: "error", inputTokens: 100, outputTokens: 7 }]);
  });

  test("when the answer broke off after its first words", async () => {
    const scene = stage({ ...spends, calls: [{ text: "so", cutBy: failing("unusable") }] });
    await scene.run();
    expect(scene.usage).toHaveLength(1);
    expect(scene.usage).toMatchObject([{ inputTokens: 100, outputTokens: 7, estimated: false }]);
  });

  test("by an estimate where the provider tells nothing of an answer that broke off", async () => {
    const scene = stage({ ...spends, calls: [{ text: "so", cutBy: new ModelFailure("unusable", "no") }] });
    await scene.run();
    expect(scene.usage).toMatchObject([{ estimated: true, outputTokens: 1 }]);
  });
});
