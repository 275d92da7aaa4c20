import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import type { BoundTool } from "../../../src/engine/tools/bound-tool.ts";
import { executeTool } from "../../../src/engine/tools/execute-tool.ts";
import { readByTypeBox } from "../../../src/engine/tools/input-schema.ts";
import { createRateLimit } from "../../../src/engine/tools/rate-limit.ts";
import type { Tool, ToolContext } from "../../../src/engine/tools/tool.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { type LogFields, silentLogger } from "../../../src/kit/log.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { toolContext } from "../../support/tool-context.ts";

const parameters = Type.Object(
  { city: Type.String(), days: Type.Integer({ minimum: 1, default: 3 }) },
  { additionalProperties: false },
);

function bind(execute: Tool["execute"], more: Partial<BoundTool> = {}): BoundTool {
  const tool: Tool = { name: "weather", type: "builtin", description: "", parameters: {}, execute };
  return { tool, read: readByTypeBox(parameters), timeoutMs: 5000, ...more };
}

function contextOf(clock: FakeClock, signal = new AbortController().signal): ToolContext {
  return toolContext({ signal, clock });
}

const echo: Tool["execute"] = async (input) => ({ success: true, data: input });

describe("input", () => {
  const cases: [input: Record<string, unknown>, error: RegExp][] = [
    [{}, /city is required/],
    [{ city: 5 }, /city: Expected string/],
    [{ city: "x", days: 0 }, /days: Expected integer to be greater or equal to 1/],
    [{ city: "x", town: "y", __proto__: null, constructor: 1 }, /town is not known/],
  ];
  for (const [input, error] of cases) {
    test(String(error), async () => {
      const result = await executeTool(bind(echo), input, contextOf(new FakeClock()));
      expect(result).toEqual({ success: false, error: expect.stringMatching(error) });
    });
  }

  test("defaults are filled in, and what was given isn't touched", async () => {
    const input = { city: "x" };
    expect(await executeTool(bind(echo), input, contextOf(new FakeClock()))).toEqual({
      success: true,
      data: { city: "x", days: 3 },
    });
    expect(input).toEqual({ city: "x" });
  });
});

describe("a tool never throws into a run", () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const cases: [name: string, execute: Tool["execute"], error: string][] = [
    ["a rejection", () => Promise.reject(new Error("secret path /etc")), "weather failed unexpectedly."],
    [
      "an exception",
      () => {
        throw new TypeError("secret");
      },
      "weather failed unexpectedly.",
    ],
    [
      "an AppError",
      () => Promise.reject(new AppError("invalid", "bad", "The city is unknown.")),
      "The city is unknown.",
    ],
    [
      "no JSON",
      async () => ({ success: true, data: cycle }),
      "The tool answered with something that is not JSON.",
    ],
    [
      "nothing",
      async () => ({ success: true, data: undefined }),
      "The tool answered with something that is not JSON.",
    ],
  ];
  for (const [name, execute, error] of cases) {
    test(name, async () => {
      expect(await executeTool(bind(execute), { city: "x" }, contextOf(new FakeClock()))).toEqual({
        success: false,
        error,
      });
    });
  }
});

test("only unforeseen errors are logged, with their cause", async () => {
  const logged: [event: string, fields: LogFields | undefined][] = [];
  const log = {
    ...silentLogger,
    error: (event: string, fields?: LogFields) => void logged.push([event, fields]),
  };
  const fault = new TypeError("secret");
  for (const thrown of [new AppError("invalid", "bad", "The city is unknown."), fault]) {
    const context = { ...contextOf(new FakeClock()), log };
    await executeTool(
      bind(() => Promise.reject(thrown)),
      { city: "x" },
      context,
    );
  }
  expect(logged).toEqual([["tool.failed", { agent: "a", tool: "weather", err: fault }]]);
});

describe("time", () => {
  /** A tool that never answers, and records that it was stopped. */
  const hanging = () => {
    const seen = { stopped: false };
    const execute: Tool["execute"] = (_, { signal }) => {
      signal.addEventListener("abort", () => {
        seen.stopped = true;
      });
      return new Promise(() => {});
    };
    return { seen, execute };
  };

  test("a tool that takes too long is stopped and fails", async () => {
    const clock = new FakeClock();
    const { seen, execute } = hanging();
    const result = executeTool(bind(execute), { city: "x" }, contextOf(clock));
    await clock.advance(5000);
    expect(await result).toEqual({
      success: false,
      error: "weather took longer than 5 seconds and was stopped.",
    });
    expect(seen.stopped).toBe(true);
    expect(clock.pending).toBe(0);
  });

  test("the end of the run stops it, before or during", async () => {
    const clock = new FakeClock();
    const run = new AbortController();
    const { seen, execute } = hanging();
    const result = executeTool(bind(execute), { city: "x" }, contextOf(clock, run.signal));
    run.abort(new Error("cancelled"));
    const failure = { success: false as const, error: "weather was stopped: the run has ended." };
    expect(await result).toEqual(failure);
    expect(seen.stopped).toBe(true);
    expect(await executeTool(bind(echo), { city: "x" }, contextOf(clock, run.signal))).toEqual(failure);
    expect(clock.pending).toBe(0);
  });
});

test("the rate limit counts calls per tenant and agent in a sliding window; unfit inputs don't count", async () => {
  const clock = new FakeClock();
  const bound = bind(echo, { rateLimit: createRateLimit({ callsMax: 2, windowMs: 60_000 }, clock) });
  const call = async (change: Partial<ToolContext> = {}, input: Record<string, unknown> = { city: "x" }) => {
    const result = await executeTool(bound, input, { ...contextOf(clock), ...change });
    return result.success ? "ok" : result.error;
  };
  expect(await call({}, {})).toContain("city is required");
  expect(await call()).toBe("ok");
  await clock.advance(30_000);
  expect([await call(), await call()]).toEqual([
    "ok",
    "weather was called too often; it may be called again in 30 seconds.",
  ]);
  expect([await call({ tenant: "other" }), await call({ agent: "other" })]).toEqual(["ok", "ok"]);
  await clock.advance(30_000);
  expect([await call(), await call()]).toEqual([
    "ok",
    "weather was called too often; it may be called again in 30 seconds.",
  ]);
});
