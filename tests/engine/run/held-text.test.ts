import { expect, test } from "bun:test";
import { recordRun } from "../../../src/engine/cassettes/record/record-run.ts";
import type { ModelEvent } from "../../../src/engine/models/model.ts";
import { heldCharsMax } from "../../../src/engine/run-state/held-text.ts";
import { endOfAnswer } from "../../support/scripted-model.ts";
import { asks, play, type StageOptions, stage } from "../../support/staged-run.ts";

/*
 * Every collector of what models and tools answer, each fed with answers of 4 MB, the longest of a model: what a run holds has one limit, whoever collects it.
 */

const size = 4_000_000;
/** An answer of that size is what the request asked for. */
const large = { max_tokens: size };
const text = "x".repeat(size);

/** Counts the characters that models and tools gave. */
function givers() {
  let given = 0;
  const asking = (name: string, extra: Partial<typeof endOfAnswer> = {}) =>
    async function* (): AsyncGenerator<ModelEvent> {
      given += size;
      if (extra.echo === undefined) yield { type: "text", text };
      yield* asks("", { name, input: { query: "go" } }).map((event) =>
        event.type === "end" ? { ...event, ...extra } : event,
      );
    };
  const saying = async function* (): AsyncGenerator<ModelEvent> {
    given += size;
    yield { type: "text", text };
    yield endOfAnswer;
  };
  const tool = {
    name: "fetch",
    async execute() {
      given += size;
      return { success: true as const, data: text };
    },
  };
  return { asking, saying, tool, given: () => given };
}

const note = { name: "note", execute: async () => ({ success: true as const, data: "ok" }) };

const collectors: Record<string, (from: ReturnType<typeof givers>) => StageOptions> = {
  "the answers of a conversation with tools": ({ asking }) => ({
    calls: [asking("note")],
    tools: [note],
  }),
  "the results of tools": ({ tool }) => ({
    calls: [asks("", { name: "fetch", input: {} })],
    tools: [tool],
  }),
  "the results of tools called together": ({ tool }) => ({
    calls: [asks("", ...Array.from({ length: 8 }, () => ({ name: "fetch", input: {} })))],
    tools: [tool],
  }),
  "the thoughts that go back to the model": ({ asking }) => ({
    calls: [asking("note", { echo: { of: "staged", content: { reasoning: "x".repeat(4_000_000) } } })],
    tools: [note],
  }),
  "the answers of agents below": ({ saying }) => ({
    spec: { tools: [{ name: "down", type: "agent", config: { agent: "below" } }] },
    calls: [asks("", { name: "down", input: { query: "go" } })],
    agents: { below: { calls: [saying] } },
  }),
  "the parts of a fan-out": ({ asking }) => ({
    spec: { orchestration: { pattern: "parallel_fan_out", max_iterations: 40 } },
    calls: ['["one", "two", "three", "four"]'],
    roles: { worker: [asking("note")], planner: ['["one", "two", "three", "four"]'] },
    tools: [note],
  }),
};

test.each(Object.entries(collectors))("%s end the run with 422 when they are too large", async (_, build) => {
  const from = givers();
  const options = build(from);
  const orchestration = { max_iterations: 40, ...(options.spec?.orchestration as object | undefined) };
  const run = stage({ ...options, spec: { ...options.spec, orchestration } });
  const { thrown } = await run.run({
    query: "Tell me all about it, please, in many words.",
    parameters: large,
  });
  expect(thrown).toMatchObject({ kind: "unprocessable", code: "run_too_large" });
  // At most one answer of each call that went on beside the others comes after the limit.
  expect(from.given()).toBeLessThanOrEqual(heldCharsMax + 9 * size);
});

test("a run with less than that is not touched, and each run has its own count", async () => {
  const from = givers();
  const calls = Array.from({ length: 3 }, () => [from.asking("note"), from.asking("note"), "done"]).flat();
  const run = stage({ calls, tools: [note] });
  for (let time = 0; time < 3; time++) {
    const { result } = await run.run({ parameters: large });
    expect([result?.response.length, result?.response.endsWith("done")]).toEqual([2 * size + 8, true]);
  }
});

test("a recording of very many pieces is given up, and the run continues", async () => {
  const pieces = 1_000;
  const run = stage({
    calls: [
      async function* () {
        for (let piece = 0; piece < pieces; piece++) yield { type: "text", text: "x" };
        yield endOfAnswer;
      },
    ],
  });
  let kept = 0;
  const keep = async () => `c${++kept}`;
  const recorded = recordRun(run.ports, run.agent, run.requestOf({ parameters: large, stream: true }), {
    argosy: "1",
    keep,
    bytesMax: 200_000,
  });
  const { result } = await play(recorded);
  expect(result?.response).toHaveLength(pieces);
  expect(result).toMatchObject({ cassette_error: "The run is too long to be recorded." });
  expect(kept).toBe(0);
});
