import { describe, expect, test } from "bun:test";
import { createBreakers } from "../../../src/engine/models/breakers.ts";
import type { FailureSign, ModelFailureClass } from "../../../src/engine/models/judge-call.ts";
import type { Model, ModelRequest } from "../../../src/engine/models/model.ts";
import { ModelFailure } from "../../../src/engine/models/model-failure.ts";
import type { ModelRouter } from "../../../src/engine/models/model-router.ts";
import { createRouter, type FinishedCall, type RouterOptions } from "../../../src/engine/models/router.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { requestOf, type ScriptedCall, scriptedModel } from "../../support/scripted-model.ts";

const fail = (failure: ModelFailureClass, message = `${failure}.`) => new ModelFailure(failure, message);
const never = new AbortController().signal;

function routerOver(candidates: readonly Model[], options: Partial<RouterOptions> = {}) {
  const clock = new FakeClock();
  const finished: FinishedCall[] = [];
  const router = createRouter({
    candidates,
    strategy: "quality_first",
    breakers: createBreakers(clock),
    clock,
    observe: (call) => finished.push(call),
    ...options,
  });
  return { router, clock, finished };
}

/** Returns the model and the answer in one line; a failure is its code. */
async function ask(router: ModelRouter, signal = never): Promise<string> {
  let said = "";
  try {
    for await (const event of router.call(requestOf("hi"), signal)) {
      if (event.type === "chosen") said += `${event.provider}#${event.attempt}: `;
      else said += event.type === "text" ? event.text : ` <${event.type}>`;
    }
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    said += `!${thrown.code} ${thrown.status}`;
  }
  return said;
}

describe("failover", () => {
  const table: [name: string, first: ScriptedCall, second: ScriptedCall | undefined, said: string][] = [
    ["the primary answers", "hello", "other", "one#1: hello <end>"],
    ["unreachable: the next answers", fail("unreachable"), "hello", "two#2: hello <end>"],
    ["unusable before the first token: the next answers", fail("unusable"), "hello", "two#2: hello <end>"],
    ["our key is wrong: the next answers", fail("auth"), "hello", "two#2: hello <end>"],
    ["the model is not there: the next answers", fail("unsuited"), "hello", "two#2: hello <end>"],
    [
      "after the first token nobody else is asked",
      { text: "hel", cutBy: fail("unusable") },
      "hello",
      "one#1: hel!provider_failed 502",
    ],
    ["the caller's fault is nobody else's business", fail("caller"), "hello", "!provider_failed 502"],
    ["refused content is not offered elsewhere", fail("content_refused"), "hello", "!content_refused 422"],
    [
      "too long, and nobody has a larger window",
      fail("context_length"),
      "hello",
      "!context_length_exceeded 422",
    ],
    ["nobody could be reached", fail("unreachable"), fail("unreachable"), "!no_provider_available 503"],
    ["one answered, but not usably", fail("unusable"), fail("unreachable"), "!provider_failed 502"],
    ["all answered, none usably", fail("auth"), fail("unusable"), "!provider_failed 502"],
    ["one candidate that is down", fail("unreachable"), undefined, "!no_provider_available 503"],
  ];
  test.each(table)("%s", async (_name, first, second, said) => {
    const models = [scriptedModel({ provider: "one" }, [first])];
    if (second !== undefined) models.push(scriptedModel({ provider: "two" }, [second]));
    expect(await ask(routerOver(models).router)).toBe(said);
    for (const model of models) expect(model.requests.length).toBeLessThanOrEqual(1);
  });

  test("a conversation too long for one goes only to those with a larger window", async () => {
    const small = scriptedModel({ provider: "small", contextWindow: 4000 }, [fail("context_length")]);
    const equal = scriptedModel({ provider: "equal", contextWindow: 4000 });
    const large = scriptedModel({ provider: "large", contextWindow: 32_000 });
    expect(await ask(routerOver([small, equal, large]).router)).toBe("large#2: hi from large <end>");
    expect(equal.requests).toHaveLength(0);
  });

  test("an error that is not a ModelFailure passes through and counts against no provider", async () => {
    const { router, finished } = routerOver([
      scriptedModel({ provider: "one" }, [new TypeError("a bug")]),
      scriptedModel({ provider: "two" }),
    ]);
    await expect(ask(router)).rejects.toThrow("a bug");
    expect(finished).toMatchObject([{ provider: "one", ok: false, failure: "internal" }]);
  });

  test("no candidates at all", async () => {
    expect(await ask(routerOver([]).router)).toBe("!no_provider_available 503");
  });

  test("a prompt has to fit the smallest window", () => {
    const models = [8000, 2000, 32_000].map((contextWindow) =>
      scriptedModel({ provider: "p", contextWindow }),
    );
    expect(routerOver(models).router.contextWindow).toBe(2000);
  });
});

describe("the circuit of a provider", () => {
  test("is skipped for 60 s after three failures, then tried once", async () => {
    const one = scriptedModel({ provider: "one" }, [
      fail("unreachable"),
      fail("unreachable"),
      fail("unreachable"),
      "back",
    ]);
    const { router, clock } = routerOver([one, scriptedModel({ provider: "two" })]);
    for (let call = 0; call < 5; call++) expect(await ask(router)).toStartWith("two#");
    expect(one.requests).toHaveLength(3);
    await clock.advance(60_000);
    expect(await ask(router)).toBe("one#1: back <end>");
  });

  test("when all are open the answer names them and says when the next try is due", async () => {
    const { router, clock } = routerOver([
      scriptedModel({ provider: "one" }, [fail("unreachable")]),
      scriptedModel({ provider: "two" }, [fail("unreachable")]),
    ]);
    for (let call = 0; call < 3; call++) await ask(router);
    await clock.advance(18_000);
    const thrown = await router
      .call(requestOf("hi"), never)
      [Symbol.asyncIterator]()
      .next()
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(AppError);
    const error = thrown as AppError;
    expect([error.code, error.status]).toEqual(["no_provider_available", 503]);
    expect(error.message).toContain("one/m");
    expect(error.message).toContain("two/m");
    expect(error.details.hint).toContain("42 s");
    expect(error.details.retryAfterSeconds).toBe(42);
  });

  const blameless: ModelFailureClass[] = ["caller", "content_refused", "context_length", "unsuited"];
  test.each(blameless)("stays closed on %s, however often", async (failure) => {
    const one = scriptedModel({ provider: "one" }, [fail(failure)]);
    const { router } = routerOver([one]);
    for (let call = 0; call < 5; call++) await ask(router);
    expect(one.requests).toHaveLength(5);
  });

  const provoked: [name: string, sign: FailureSign, request?: Partial<ModelRequest>][] = [
    ["a limit of its own", { sign: "silence", forMs: 1000, limitBy: "caller" }],
    ["a burst", { sign: "status", status: 429 }],
    ["stop texts", { sign: "empty", spoke: false }, { parameters: { stop: ["a"] } }],
    ["a tiny answer", { sign: "empty", spoke: false }, { answerTokensMax: 1 }],
  ];
  test.each(provoked)("stays closed when the caller led to the failure by %s", async (_, sign, fields) => {
    const one = scriptedModel({ provider: "one" }, [new ModelFailure("unusable", "Odd.", { sign })]);
    const { router } = routerOver([one]);
    for (let call = 0; call < 5; call++) {
      await Array.fromAsync(router.call(requestOf("hi", fields), never)).catch(() => undefined);
    }
    expect(one.requests).toHaveLength(5);
  });

  test("the stop texts of the model's own parameters count as well", async () => {
    const failure = new ModelFailure("unusable", "Empty.", { sign: { sign: "empty", spoke: false } });
    const one = scriptedModel({ provider: "one", stops: ["a"] }, [failure]);
    const { router } = routerOver([one]);
    for (let call = 0; call < 5; call++) await ask(router);
    expect(one.requests).toHaveLength(5);
  });

  test("stays closed when callers leave", async () => {
    const one = scriptedModel({ provider: "one" });
    const { router, finished } = routerOver([one]);
    for (let call = 0; call < 5; call++) {
      for await (const event of router.call(requestOf("hi"), never)) if (event.type === "text") break;
    }
    expect(finished.map(({ ok, failure }) => [ok, failure])).toEqual(Array(5).fill([false, "cancelled"]));
    expect(await ask(router)).toBe("one#1: hi from one <end>");
  });

  test("is shared by routers of one process, and separate for another account", async () => {
    const clock = new FakeClock();
    const breakers = createBreakers(clock);
    const broken = scriptedModel({ provider: "p", endpoint: "http://p/v1" }, [fail("unreachable")]);
    const { router } = routerOver([broken], { breakers, clock });
    for (let call = 0; call < 3; call++) await ask(router);
    const same = routerOver([scriptedModel({ provider: "p", endpoint: "http://p/v1" })], { breakers, clock });
    expect(await ask(same.router)).toBe("!no_provider_available 503");
    const other = scriptedModel({ provider: "p", endpoint: "http://p/v1", account: "tenant-1" });
    expect(await ask(routerOver([other], { breakers, clock }).router)).toBe("p#1: hi from p <end>");
  });
});

describe("the caller", () => {
  test("who has left before gets the reason, and no model is called", async () => {
    const one = scriptedModel({ provider: "one" });
    await expect(ask(routerOver([one]).router, AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
    expect(one.requests).toHaveLength(0);
  });

  test("who leaves during a call gets the reason, not the failure it caused, and no other candidate is tried", async () => {
    const leaving = new AbortController();
    const failing = scriptedModel({ provider: "one" }, [fail("unreachable")]);
    const one: Model = {
      ...failing,
      call(request, signal) {
        leaving.abort(new Error("gone"));
        return failing.call(request, signal);
      },
    };
    const two = scriptedModel({ provider: "two" });
    const { router, finished } = routerOver([one, two]);
    await expect(ask(router, leaving.signal)).rejects.toThrow("gone");
    expect(two.requests).toHaveLength(0);
    expect(finished).toMatchObject([{ provider: "one", ok: false, failure: "cancelled" }]);
  });
});

test("every candidate tried is observed, with its usage and times", async () => {
  const clock = new FakeClock();
  const slow: Model = {
    ...scriptedModel({ provider: "two" }),
    async *call(request, signal) {
      await clock.advance(30);
      yield* scriptedModel({ provider: "two" }).call(request, signal);
      await clock.advance(5);
    },
  };
  const { router, finished } = routerOver([scriptedModel({ provider: "one" }, [fail("unusable")]), slow], {
    clock,
  });
  await ask(router);
  expect(finished).toEqual([
    { provider: "one", model: "m", ok: false, failure: "unusable", latencyMs: 0 },
    {
      provider: "two",
      model: "m",
      ok: true,
      latencyMs: 35,
      firstTokenMs: 30,
      usage: { inputTokens: 10, outputTokens: 5, cachedTokens: 0, estimated: false },
    },
  ]);
});

test("of 1,000 calls at once on a circuit that is half-open, one reaches the provider", async () => {
  let answer: (() => void) | undefined;
  const ready = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const scripted = scriptedModel({ provider: "one" }, [
    fail("unreachable"),
    fail("unreachable"),
    fail("unreachable"),
    "back",
  ]);
  const one: Model = {
    ...scripted,
    async *call(request, signal) {
      if (scripted.requests.length === 3) await ready;
      yield* scripted.call(request, signal);
    },
  };
  let reached = 0;
  const counted: Model = {
    ...one,
    call(request, signal) {
      reached++;
      return one.call(request, signal);
    },
  };
  const { router, clock } = routerOver([counted]);
  for (let call = 0; call < 3; call++) await ask(router);
  await clock.advance(60_000);
  reached = 0;
  const asked = Array.from({ length: 1000 }, () => ask(router));
  await clock.advance(1000);
  expect(reached).toBe(1);
  answer?.();
  const answers = await Promise.all(asked);
  expect(answers.filter((said) => said === "one#1: back <end>")).toHaveLength(1);
  expect(answers.filter((said) => said === "!no_provider_available 503")).toHaveLength(999);
  expect(await ask(router)).toBe("one#1: back <end>");
});

test("amplification is bounded: with everything failing, a call tries each candidate once", async () => {
  const models = ["a", "b", "c", "d"].map((provider) => scriptedModel({ provider }, [fail("unreachable")]));
  await ask(routerOver(models).router);
  expect(models.map((model) => model.requests.length)).toEqual([1, 1, 1, 1]);
});

test("latency_optimized learns from the time to the first event, a new one weighing a fifth", async () => {
  const clock = new FakeClock();
  const after = (provider: string, ...delaysMs: number[]): Model => {
    const scripted = scriptedModel({ provider });
    return {
      ...scripted,
      async *call(request, signal) {
        await clock.advance(delaysMs[Math.min(scripted.requests.length, delaysMs.length - 1)] ?? 0);
        yield* scripted.call(request, signal);
      },
    };
  };
  const models = [after("one", 100, 300, 300, 300), after("two", 150)];
  const { router, finished } = routerOver(models, { clock, strategy: "latency_optimized" });
  for (let call = 0; call < 25; call++) await ask(router);
  const chosen = finished.map(({ provider }) => (provider === "one" ? 1 : 2)).join("");
  // Two is untried until the 20th call gives it a chance; by then One has settled near 300.
  expect(chosen).toBe(`${"1".repeat(19)}222222`);
});
