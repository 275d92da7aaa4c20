import { expect, test } from "bun:test";
import type { ForkReport } from "../../../../src/contracts/daemon/cassettes/cassettes.ts";
import { readCassette } from "../../../../src/engine/cassettes/read-cassette.ts";
import { type ForkOptions, forkRun } from "../../../../src/engine/cassettes/replay/fork-run.ts";
import { ModelFailure } from "../../../../src/engine/models/model-failure.ts";
import { AppError } from "../../../../src/kit/app-error.ts";
import { keepText, rebuildParts, recorded, replayed } from "../../../support/cassettes.ts";
import type { ScriptedCall } from "../../../support/scripted-model.ts";
import { asks, stage, told } from "../../../support/staged-run.ts";

const look = (seen: string, made: unknown[]) => ({
  name: "look",
  async execute(input: Record<string, unknown>) {
    made.push(input);
    return { success: true as const, data: { seen } };
  },
});

/** Records a run that looks twice and answers. */
async function record() {
  const spec = { prompts: { system: "Look at things." } };
  const calls = [
    asks("", { id: "c1", name: "look", input: { at: "sky" } }),
    asks("", { id: "c2", name: "look", input: { at: "sea" } }),
    "All is blue.",
  ];
  return recorded(stage({ spec, calls, tools: [look("blue", [])] }), { query: "What colour is all?" });
}

/** Forks it with a model that makes `calls`; tools are live only if requested. */
async function fork(
  calls: readonly ScriptedCall[],
  options: Partial<ForkOptions> & { liveTools?: boolean; budget?: AppError } = {},
) {
  const { liveTools = false, budget, ...rest } = options;
  const made: unknown[] = [];
  const live = stage({ calls, tools: [look("grey", made)] });
  const { cassette } = await record();
  const report: ForkReport = await forkRun(
    cassette,
    {
      parts: { ...rebuildParts, clock: live.clock },
      ports: live.ports,
      tenant: "t",
      live: {
        call: () => live.agent.routerFor().call,
        execute: (_, tool) => (liveTools ? live.agent.tools.get(tool)?.tool.execute : undefined),
      },
    },
    { from: 1, strict: false, recordsContent: false, ...rest },
  );
  return { report, live, made };
}

test("plays the given number of model calls, and asks the model with the conversation until then", async () => {
  const { report, live } = await fork(["It is all grey."]);
  expect(told(live.model)).toEqual([
    "system: Look at things.",
    "user: What colour is all?",
    "assistant: ",
    'tool: {"seen":"blue"}',
  ]);
  expect(report).toMatchObject({
    mode: "fork",
    played: { model_calls: 1, tool_calls: 1 },
    live: { model_calls: 1, tool_calls: 0, tools_refused: 0 },
    recorded: { result: { response: "All is blue." } },
    outcome: { result: { response: "It is all grey.", usage: { input_tokens: 10, output_tokens: 5 } } },
    warnings: [],
  });
  expect(report.events.at(-1)).toMatchObject({ type: "done" });
});

test("from 0 all calls are made", async () => {
  const { report } = await fork(["At once."], { from: 0 });
  expect(report).toMatchObject({
    played: { model_calls: 0, tool_calls: 0 },
    live: { model_calls: 1 },
    outcome: { result: { response: "At once." } },
  });
});

test("from beyond its end nothing is asked", async () => {
  const { report, live } = await fork(["never"], { from: 99 });
  expect(live.model.requests).toEqual([]);
  expect(report).toMatchObject({
    played: { model_calls: 3, tool_calls: 2 },
    live: { model_calls: 0 },
    outcome: { result: { response: "All is blue." } },
  });
});

test("a recorded tool call is played; another is not made, and the model gets the reason", async () => {
  const { report, live, made } = await fork([
    asks(
      "",
      { id: "n1", name: "look", input: { at: "sea" } },
      { id: "n2", name: "look", input: { at: "moon" } },
    ),
    "Done.",
  ]);
  expect(made).toEqual([]);
  expect(told(live.model).slice(-2)).toEqual([
    'tool: {"seen":"blue"}',
    'tool: {"success":false,"error":"look was not executed: this run replays a recorded one, which holds no answer to this call. Go on without it."}',
  ]);
  expect(report.live).toEqual({ model_calls: 2, tool_calls: 0, tools_refused: 1 });
});

test("where tools may be live, those that were not recorded are called, and only those", async () => {
  const { report, made } = await fork(
    [
      asks(
        "",
        { id: "n1", name: "look", input: { at: "sea" } },
        { id: "n2", name: "look", input: { at: "moon" } },
      ),
      "Done.",
    ],
    { liveTools: true },
  );
  expect(made).toEqual([{ at: "moon" }]);
  expect(report.live).toEqual({ model_calls: 2, tool_calls: 1, tools_refused: 0 });
});

test("what it spends is counted, what was recorded is not, and no conversation is kept", async () => {
  const { live } = await fork(["Grey."], { from: 2 });
  expect(live.usage.map(({ tenant, inputTokens }) => [tenant, inputTokens])).toEqual([
    ["t", 0],
    ["t", 0],
    ["t", 10],
  ]);
  expect(await live.turns()).toEqual([]);
  expect(live.finished).toHaveLength(1);
});

test("how it fails is its outcome", async () => {
  const { report } = await fork([new ModelFailure("unreachable", "lab is down")]);
  expect(report.outcome).toMatchObject({ error: { code: "no_provider_available" } });
});

test("its own recording is replayed like any other", async () => {
  let text = "";
  const keep = keepText((kept) => {
    text = kept;
  });
  const { report } = await fork([asks("", { id: "n1", name: "look", input: { at: "moon" } }), "Dark."], {
    record: { argosy: "0.0.0-test", keep },
  });
  const cassette = readCassette(text, "the fork");
  expect(report.recording).toBe(cassette.summary.id);
  expect(cassette.summary).toMatchObject({ model_calls: 3, tool_calls: 2 });
  expect(await replayed(cassette)).toMatchObject({ identical: true });
});

test("a cancelled one ends with the reason", async () => {
  const stopping = new AbortController();
  stopping.abort(new AppError("unavailable", "run_cancelled", "Enough."));
  await expect(fork(["never"], { signal: stopping.signal })).rejects.toMatchObject({ code: "run_cancelled" });
});
