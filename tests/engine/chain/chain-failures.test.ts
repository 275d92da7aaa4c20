import { describe, expect, test } from "bun:test";
import { AppError } from "../../../src/kit/app-error.ts";
import { chainLinks } from "../../support/chain-links.ts";
import { settle } from "../../support/fake-clock.ts";
import type { ScriptedCall } from "../../support/scripted-model.ts";
import { type StagedAgent, says, stage, untilAbort } from "../../support/staged-run.ts";

const broken = () => new AppError("upstream_failed", "provider_failed", "Broken: provider_failed.");

/** A call that is never answered. */
const hangs: ScriptedCall = (_, signal) => ({
  [Symbol.asyncIterator]: () => ({ next: () => untilAbort(signal) }),
});

/** A chain of b, which makes `calls`, and c; r is the fallback if configured. */
function failing(link: Record<string, unknown>, calls: readonly ScriptedCall[], chain = {}) {
  return stage({
    calls: ["one"],
    spec: { chain: { on_complete: [{ agent: "b", ...link }, { agent: "c" }], ...chain } },
    agents: { b: { calls }, c: { calls: ["three"] }, r: { calls: ["rescued"] } },
  });
}

describe("on_error and retry", () => {
  const twice = { max_attempts: 2, backoff: 0 };
  const error = "1 staged → b: error, Broken: provider_failed.";
  const c = "1 staged → c: success, three";
  test.each<[Record<string, unknown>, ScriptedCall[], links: string[], status: string, calls: number]>([
    [{}, [broken()], [error, "1 staged → c: skipped, upstream_stopped"], "failed", 1],
    [{ on_error: "stop" }, [broken()], [error, "1 staged → c: skipped, upstream_stopped"], "failed", 1],
    [{ on_error: "continue" }, [broken()], [error, c], "partial", 1],
    [{ on_error: "r" }, [broken()], [error, "1 staged → r: success, rescued", c], "partial", 1],
    [{ retry: twice }, [broken(), "two"], ["1 staged → b: success, two", c], "completed", 2],
    [{ retry: twice }, [broken(), broken()], [error, "1 staged → c: skipped, upstream_stopped"], "failed", 2],
    [{ retry: twice, on_error: "continue" }, [broken(), broken()], [error, c], "partial", 2],
    [
      { retry: twice, on_error: "r" },
      [broken(), broken()],
      [error, "1 staged → r: success, rescued", c],
      "partial",
      2,
    ],
    [{ retry: twice, on_error: "r" }, [broken(), "two"], ["1 staged → b: success, two", c], "completed", 2],
  ])("%j", async (link, calls, links, status, attempts) => {
    const staged = failing(link, calls);
    const { result, thrown } = await staged.run();
    expect(thrown).toBeUndefined();
    expect(result?.response).toBe("one");
    expect(chainLinks(result?.chain)).toEqual(links);
    expect(result?.chain?.status).toBe(status as "failed");
    expect(staged.modelOf("b").requests.length).toBe(attempts);
    expect(staged.clock.pending).toBe(0);
  });

  test("attempts wait for the backoff, doubled each time, on the clock", async () => {
    const staged = failing({ retry: { max_attempts: 4, backoff: 1.5 } }, [
      broken(),
      broken(),
      broken(),
      "two",
    ]);
    const playing = staged.run();
    const calls = () => staged.modelOf("b").requests.length;
    await staged.clock.advance(1499);
    expect(calls()).toBe(1);
    await staged.clock.advance(1);
    expect(calls()).toBe(2);
    await staged.clock.advance(2999);
    expect(calls()).toBe(2);
    await staged.clock.advance(1);
    expect(calls()).toBe(3);
    await staged.clock.advance(6000);
    const { result } = await playing;
    expect(calls()).toBe(4);
    expect(result?.chain?.links[0]).toMatchObject({ status: "success", duration_ms: 10_500 });
    const [link] = staged.traces[0]?.spans.filter(({ name }) => name === "chain.link") ?? [];
    expect(link?.attributes).toEqual({ agent: "b", via: "staged", depth: 1, attempts: 4 });
  });
});

describe("what ends a chain early", () => {
  const error = "1 staged → b: error";

  test("a link has its own time, of each attempt", async () => {
    const staged = failing({ timeout_seconds: 5, retry: { max_attempts: 2, backoff: 1 } }, [hangs, hangs]);
    const playing = staged.run();
    await staged.clock.advance(5000);
    expect(staged.modelOf("b").requests.length).toBe(1);
    await staged.clock.advance(6000);
    const { result } = await playing;
    expect(staged.modelOf("b").requests.length).toBe(2);
    expect(result?.chain?.links[0]).toMatchObject({
      status: "error",
      error: "Agent b did not finish within 5 seconds.",
      duration_ms: 11_000,
    });
    expect([result?.chain?.status, staged.openAnswers(), staged.clock.pending]).toEqual(["failed", 0, 0]);
  });

  test("without one it has the time of its agent", async () => {
    const staged = stage({
      calls: ["one"],
      spec: { orchestration: { timeout_seconds: 2 }, chain: { on_complete: [{ agent: "b" }] } },
      agents: { b: { calls: [hangs], spec: { orchestration: { timeout_seconds: 30 } } } },
    });
    const playing = staged.run();
    await staged.clock.advance(29_999);
    expect(staged.openAnswers()).toBe(1);
    await staged.clock.advance(1);
    const { result, thrown } = await playing;
    expect(thrown).toBeUndefined();
    expect(chainLinks(result?.chain)).toEqual([`${error}, Agent b did not finish within 30 seconds.`]);
    expect(result?.timing.total_ms).toBe(30_000);
  });

  test("an agent whose own time passes has no answer and no chain", async () => {
    const staged = stage({
      calls: [hangs],
      spec: { orchestration: { timeout_seconds: 2 }, chain: { on_complete: [{ agent: "b" }] } },
      agents: { b: {} },
    });
    const playing = staged.run();
    await staged.clock.advance(2000);
    const { thrown } = await playing;
    expect(thrown).toMatchObject({ code: "orchestration_timeout" });
    expect(staged.started).toEqual(["staged/s"]);
  });

  test.each(["sequential", "parallel"])(
    "the caller's limit ends a %s chain, and the answer is kept",
    async (mode) => {
      const staged = failing({ on_error: "continue", retry: { max_attempts: 5, backoff: 1 } }, [hangs], {
        mode,
      });
      const playing = staged.run({ limits: { timeoutMs: 10_000 } });
      await staged.clock.advance(10_000);
      const { result, thrown } = await playing;
      expect([thrown, result?.response]).toEqual([undefined, "one"]);
      expect(chainLinks(result?.chain)).toEqual([
        `${error}, The time limit of the run, 10 seconds, has passed.`,
        mode === "parallel" ? "1 staged → c: success, three" : "1 staged → c: skipped, upstream_stopped",
      ]);
      expect(staged.modelOf("b").requests.length).toBe(1);
      expect(staged.finished.at(-1)).toMatchObject({ agent: "staged", status: "ok" });
      expect([staged.openAnswers(), staged.clock.pending]).toEqual([0, 0]);
    },
  );

  test("what the answer has taken of the caller's limit is not there for the chain", async () => {
    const staged = stage({
      calls: [
        async function* () {
          const { promise, resolve } = Promise.withResolvers<void>();
          staged.clock.timer(6000, resolve);
          await promise;
          yield* says("one");
        },
      ],
      spec: { chain: { on_complete: [{ agent: "b" }] } },
      agents: { b: { calls: [hangs] } },
    });
    const playing = staged.run({ limits: { timeoutMs: 10_000 } });
    await staged.clock.advance(10_000);
    const { result } = await playing;
    expect(result?.chain?.links[0]).toMatchObject({ status: "error", duration_ms: 4000 });
  });

  test("the caller's tokens bound all links together", async () => {
    const link = { agent: "b", on_error: "continue", retry: { max_attempts: 3, backoff: 0 } };
    const staged = stage({
      calls: ["one"],
      spec: { chain: { on_complete: [link, link, link] } },
      agents: { b: { calls: ["two"] } },
    });
    const { result } = await staged.run({ limits: { totalTokens: 110 } });
    const outcomes = result?.chain?.links.map(({ status }) => status) ?? [];
    expect(outcomes[0]).toBe("success");
    expect(outcomes[2]).toBe("error");
    expect(result?.chain?.links[2]?.error).toContain("limit of 110 tokens");
    expect(staged.modelOf("b").requests.length).toBe(
      outcomes.filter((status) => status === "success").length,
    );
    expect(result?.usage.total_tokens).toBeLessThanOrEqual(110);
  });

  test.each(["sequential", "parallel"])(
    "a reader who leaves in the middle of a %s chain leaves nothing open",
    async (mode) => {
      const staged = failing({}, [hangs], { mode });
      const caller = new AbortController();
      const playing = staged.run({ cancelledBy: [caller.signal] });
      await settle();
      expect(staged.openAnswers()).toBe(1);
      caller.abort(new Error("gone"));
      const { thrown, result } = await playing;
      expect(thrown).toMatchObject({ code: "run_cancelled" });
      expect(result).toBeUndefined();
      expect([staged.openAnswers(), staged.clock.pending]).toEqual([0, 0]);
      expect(staged.finished.map(({ agent, status }) => `${agent} ${status}`)).toEqual([
        ...(mode === "parallel" ? ["c ok"] : []),
        "b cancelled",
        "staged cancelled",
      ]);
      expect(staged.traces[0]?.spans.find(({ name }) => name === "chain.link")?.status).toBe("ERROR");
      const turns = await staged.turns();
      expect(turns.map(({ content }) => content)).toEqual(["hi", "one"]);
    },
  );

  test("a reader who stops reading at a step leaves nothing open either", async () => {
    const staged = stage({
      calls: ["one"],
      spec: { chain: { mode: "parallel", on_complete: [{ agent: "b" }, { agent: "c" }] } },
      agents: { b: { calls: ["two"] }, c: { calls: [hangs] } },
    });
    for await (const event of staged.start()) if (event.type === "step") break;
    expect([staged.openAnswers(), staged.clock.pending]).toEqual([0, 0]);
    expect(staged.finished.map(({ agent, status }) => `${agent} ${status}`)).toEqual([
      "b ok",
      "c cancelled",
      "staged cancelled",
    ]);
    expect(staged.traces[0]?.spans.every(({ end_time }) => end_time !== undefined)).toBeTrue();
  });

  test("a wait before the next attempt ends with the run", async () => {
    const staged = failing({ retry: { max_attempts: 2, backoff: 60 } }, [broken()]);
    const caller = new AbortController();
    const playing = staged.run({ cancelledBy: [caller.signal] });
    await settle();
    caller.abort();
    const { thrown } = await playing;
    expect(thrown).toMatchObject({ code: "run_cancelled" });
    expect([staged.modelOf("b").requests.length, staged.clock.pending]).toEqual([1, 0]);
  });

  test("a run that has no answer runs no chain", async () => {
    const staged = stage({
      calls: [broken()],
      spec: { chain: { on_complete: [{ agent: "b" }] } },
      agents: { b: {} },
    });
    const { thrown } = await staged.run();
    expect(thrown).toBeInstanceOf(AppError);
    expect(staged.started).toEqual(["staged/s"]);
  });
});

describe("a template's fault is a failure like any other", () => {
  const fault = "output.data.team is missing.";
  test.each<[Record<string, unknown>, string[]]>([
    [{ when: "output.data.team" }, ["b: error", "c: skipped"]],
    [{ when: "output.data.team", on_error: "continue" }, ["b: error", "c: success"]],
    [{ when: "output.data.team", on_error: "r" }, ["b: error", "r: success", "c: success"]],
    [{ input: "{{ output.data.team }}", on_error: "r" }, ["b: error", "r: success", "c: success"]],
    [
      { when: "output.data.team", input: "To {{ output.answer }}", on_error: "r" },
      ["b: error", "r: success", "c: success"],
    ],
  ])("%j", async (link, outcomes) => {
    const staged = failing(link, ["two"]);
    const { result } = await staged.run();
    expect(result?.chain?.links.map(({ agent, status }) => `${agent}: ${status}`)).toEqual(outcomes);
    expect(result?.chain?.links[0]?.error).toEndWith(fault);
    const asked = staged.modelOf("r").requests.at(-1)?.messages.at(-1)?.content;
    if (outcomes.includes("r: success")) {
      expect(asked).toBe("when" in link && "input" in link ? "To one" : "one");
    }
  });
});

test("a stand-in is asked the same, goes through its own chain, and is not tried again", async () => {
  const staged = stage({
    calls: ["one"],
    spec: {
      chain: {
        on_complete: [{ agent: "b", input: "Do it", on_error: "r", retry: { max_attempts: 2, backoff: 0 } }],
      },
    },
    agents: {
      b: { calls: [broken()] },
      r: { calls: ["rescued"], spec: { chain: { on_complete: [{ agent: "d" }] } } },
      d: { calls: [broken()] },
    },
  });
  const { result } = await staged.run();
  expect(chainLinks(result?.chain)).toEqual([
    "1 staged → b: error, Broken: provider_failed.",
    "1 staged → r: success, rescued",
    "2 r → d: error, Broken: provider_failed.",
  ]);
  expect(result?.chain?.status).toBe("partial");
  expect(staged.modelOf("r").requests.at(-1)?.messages.at(-1)?.content).toBe("Do it");
});

test("a stand-in that fails too stops the chain", async () => {
  const staged = stage({
    calls: ["one"],
    spec: { chain: { on_complete: [{ agent: "b", on_error: "r" }, { agent: "c" }] } },
    agents: { b: { calls: [broken()] }, r: { calls: [broken()] }, c: {} },
  });
  const { result } = await staged.run();
  expect(result?.chain).toMatchObject({
    status: "failed",
    links: [{ status: "error" }, { agent: "r", status: "error" }, { reason: "upstream_stopped" }],
  });
});

test("an agent that is not there any more fails its link", async () => {
  const staged = stage({ spec: { chain: { on_complete: [{ agent: "nobody" }] } } });
  const { result } = await staged.run();
  expect(chainLinks(result?.chain)).toEqual(['1 staged → nobody: error, There is no agent named "nobody".']);
});

test("links of a parallel chain really run at once, and all end although one fails", async () => {
  const { promise: bothAtWork, resolve } = Promise.withResolvers<void>();
  let atWork = 0;
  const waits = (answer: string): StagedAgent => ({
    calls: [
      async function* () {
        if (++atWork === 2) resolve();
        await bothAtWork;
        yield* says(answer);
      },
    ],
  });
  const staged = stage({
    calls: ["one"],
    spec: { chain: { mode: "parallel", on_complete: [{ agent: "b" }, { agent: "x" }, { agent: "c" }] } },
    agents: { b: waits("two"), c: waits("three"), x: { calls: [broken()] } },
  });
  const { result } = await staged.run();
  expect(chainLinks(result?.chain)).toEqual([
    "1 staged → b: success, two",
    "1 staged → x: error, Broken: provider_failed.",
    "1 staged → c: success, three",
  ]);
  expect(result?.chain?.status).toBe("failed");
});
