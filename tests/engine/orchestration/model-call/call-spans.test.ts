import { describe, expect, test } from "bun:test";
import type { ModelFailureClass } from "../../../../src/engine/models/judge-call.ts";
import { ModelFailure } from "../../../../src/engine/models/model-failure.ts";
import { endOfAnswer, type ScriptedCall } from "../../../support/scripted-model.ts";
import { type Stage, stage, untilAbort } from "../../../support/staged-run.ts";

const fail = (failure: ModelFailureClass, message = `${failure}.`) => new ModelFailure(failure, message);

/** Returns the model calls of the last run's trace: the provider, the status and the reason. */
function calls({ traces }: Stage) {
  return (traces.at(-1)?.spans ?? [])
    .filter(({ name }) => name === "llm.complete")
    .map(({ status, attributes: { provider, error, reason } }) => ({ provider, status, error, reason }));
}

const root = ({ traces }: Stage) => traces.at(-1)?.spans[0]?.attributes;
const failovers = ({ logged }: Stage) => logged.filter(({ event }) => event === "provider.failover");

describe("a model call that fails", () => {
  const table: [name: string, call: ScriptedCall, error: string, reason: string][] = [
    ["out of reach", fail("unreachable", "p/m is down."), "unreachable", "p/m is down."],
    ["with a wrong key", fail("auth", "p/m answered 401."), "auth", "p/m answered 401."],
    ["with a request that is refused", fail("caller", "p/m answered 400."), "caller", "p/m answered 400."],
    [
      "in the middle",
      { text: "Hel", cutBy: fail("unusable", "p/m broke off.") },
      "unusable",
      "p/m broke off.",
    ],
    ["by a fault of ours", new TypeError("secret words"), "internal", "Something went wrong on our side."],
  ];
  test.each(table)("%s: its span says who and why", async (_name, call, error, reason) => {
    const staged = stage({ calls: [call] });
    await staged.run();
    expect(calls(staged)).toEqual([{ provider: "lab", status: "ERROR", error, reason }]);
    expect(failovers(staged)).toEqual([]);
  });

  test("if no provider answers, the run's span has the reason beside the code", async () => {
    const staged = stage({ calls: [fail("unreachable", "p/m is down.")] });
    const { thrown } = await staged.run();
    expect(root(staged)).toMatchObject({
      error: "no_provider_available",
      reason: "No model provider is available: p/m is down.",
    });
    expect(thrown).toMatchObject({ message: "No model provider is available: p/m is down." });
  });

  test("that the deadline cut off names the provider that was silent", async () => {
    const staged = stage({
      spec: { orchestration: { timeout_seconds: 5 } },
      calls: [
        async function* (_request, signal) {
          await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
          yield* [];
        },
      ],
    });
    const run = staged.run();
    while (staged.model.requests.length === 0) await staged.clock.advance(1);
    await staged.clock.advance(5000);
    await run;
    expect(calls(staged)).toMatchObject([
      { provider: "lab", status: "ERROR", error: "orchestration_timeout" },
    ]);
  });

  test("that the reader left is cancelled", async () => {
    const staged = stage({ calls: ["one two"] });
    for await (const event of staged.start()) if (event.type === "token") break;
    expect(calls(staged)).toEqual([
      { provider: "lab", status: "ERROR", error: "run_cancelled", reason: "The run was cancelled." },
    ]);
  });
});

describe("a failover", () => {
  test("has a span for each candidate and one line in the log", async () => {
    const staged = stage({ calls: [fail("unreachable", "lab/m is down.")], fallback: ["Hello."] });
    const { result } = await staged.run();
    expect(result?.response).toBe("Hello.");
    expect(calls(staged)).toEqual([
      { provider: "lab", status: "ERROR", error: "unreachable", reason: "lab/m is down." },
      { provider: "spare", status: "OK", error: undefined, reason: undefined },
    ]);
    expect(failovers(staged)).toEqual([
      {
        level: "warn",
        event: "provider.failover",
        fields: {
          agent: "staged",
          from: expect.stringMatching(/^lab\//),
          to: expect.stringMatching(/^spare\//),
          reason: "lab/m is down.",
          trace_id: staged.traces[0]?.trace_id,
        },
      },
    ]);
  });

  test("past a paused provider shows that it was not called", async () => {
    const staged = stage({ calls: [fail("unreachable", "lab/m is down.")], fallback: ["Hello."] });
    for (let run = 0; run < 4; run++) await staged.run();
    expect(staged.model.requests).toHaveLength(3);
    expect(calls(staged)).toMatchObject([
      {
        provider: "lab",
        status: "ERROR",
        error: "circuit_open",
        reason: expect.stringMatching(/^lab\/\S+ is paused after repeated failures \(lab\/m is down\)\.$/),
      },
      { provider: "spare", status: "OK" },
    ]);
    expect(failovers(staged)).toHaveLength(4);
  });

  test("to a candidate that fails as well is one line, and both spans have their reasons", async () => {
    const staged = stage({
      calls: [fail("unreachable", "lab/m is down.")],
      fallback: [fail("auth", "spare/m answered 401.")],
    });
    await staged.run();
    expect(calls(staged).map(({ reason }) => reason)).toEqual(["lab/m is down.", "spare/m answered 401."]);
    expect(failovers(staged)).toHaveLength(1);
  });
});

describe("the figures of the spans are those of the costs", () => {
  const price = { in: 1000, out: 2000 };
  const using = (inputTokens: number, outputTokens: number) => ({
    inputTokens,
    outputTokens,
    cachedTokens: 3,
    estimated: false,
  });
  const estimated = { ...endOfAnswer, usage: { ...endOfAnswer.usage, estimated: true } };

  /** Tokens, costs and the word for estimates, by span and by record. */
  function figures({ traces, usage }: Stage) {
    const spans = (traces.at(-1)?.spans ?? [])
      .filter(({ attributes }) => attributes.input_tokens !== undefined)
      .map(({ attributes: { input_tokens, output_tokens, cached_tokens, cost_usd, estimated } }) => [
        input_tokens,
        output_tokens,
        cached_tokens ?? 0,
        cost_usd,
        estimated ?? false,
      ]);
    const records = usage.map(({ inputTokens, outputTokens, cachedTokens, costMicros, estimated }) => [
      inputTokens,
      outputTokens,
      cachedTokens,
      (costMicros ?? Number.NaN) / 1_000_000,
      estimated,
    ]);
    return { spans, records };
  }

  test("where the reader leaves in the middle", async () => {
    const staged = stage({ calls: ["one two"], price });
    for await (const event of staged.start()) if (event.type === "token") break;
    const { spans, records } = figures(staged);
    expect(spans).toEqual(records);
    expect(spans).toEqual([[expect.any(Number), 2, 0, expect.any(Number), true]]);
    expect(calls(staged)).toMatchObject([{ status: "ERROR", error: "run_cancelled" }]);
  });

  const late: [string, ScriptedCall][] = [
    ["before its first word", untilCancelled([])],
    ["in the middle", untilCancelled(["one ", "two"])],
  ];

  function untilCancelled(texts: readonly string[]): ScriptedCall {
    return async function* (_request, signal) {
      for (const text of texts) yield { type: "text", text };
      await untilAbort(signal);
    };
  }

  test.each(late)("where the deadline passes %s", async (_when, call) => {
    const spec = { orchestration: { timeout_seconds: 5 } };
    const staged = stage({ spec, calls: [call], price });
    const run = staged.run();
    while (staged.model.requests.length === 0) await staged.clock.advance(1);
    await staged.clock.advance(5000);
    await run;
    const { spans, records } = figures(staged);
    expect(spans).toEqual(records);
    expect(spans).toMatchObject([{ 4: true }]);
    expect(calls(staged)).toMatchObject([{ status: "ERROR", error: "orchestration_timeout" }]);
  });

  test("where the provider breaks off", async () => {
    const staged = stage({ calls: [{ text: "Hel", cutBy: fail("unusable") }], price });
    await staged.run();
    const { spans, records } = figures(staged);
    expect(spans).toEqual(records);
    expect(spans).toMatchObject([{ 4: true }]);
    expect(calls(staged)).toMatchObject([{ status: "ERROR", error: "unusable" }]);
  });

  test("where a candidate fails with what it used, and the next one answers", async () => {
    const failure = new ModelFailure("unusable", "Nothing.", { usage: using(40, 10) });
    const answer: ScriptedCall = [{ type: "text", text: "ok" }, estimated];
    const staged = stage({ calls: [failure], fallback: [answer], price });
    await staged.run();
    const { spans, records } = figures(staged);
    expect(spans).toEqual(records);
    expect(spans).toMatchObject([
      { 0: 40, 1: 10, 2: 3, 4: false },
      { 0: 10, 1: 5, 4: true },
    ]);
    expect(calls(staged)).toMatchObject([{ status: "ERROR", error: "unusable" }, { status: "OK" }]);
  });

  test("where the second candidate can't be reached, either", async () => {
    const failure = new ModelFailure("unusable", "Nothing.", { usage: using(40, 10) });
    const staged = stage({ calls: [failure], fallback: [fail("unreachable")], price });
    await staged.run();
    const { spans, records } = figures(staged);
    expect(spans).toEqual(records);
    expect(calls(staged)).toMatchObject([
      { provider: "lab", error: "unusable" },
      { provider: "spare", error: "unreachable" },
    ]);
  });

  test("where the price is unknown, there is no cost", async () => {
    const staged = stage({ calls: ["one two"] });
    await staged.run();
    expect(figures(staged).spans).toEqual([[10, 5, 0, undefined, false]]);
  });
});
