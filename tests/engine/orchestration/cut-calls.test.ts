import { describe, expect, test } from "bun:test";
import { runWithApprovals } from "../../../src/engine/approvals/run-with-approvals.ts";
import type { ModelEvent } from "../../../src/engine/models/model.ts";
import type { ScriptedCall } from "../../support/scripted-model.ts";
import { asks, play, type StageOptions, stage } from "../../support/staged-run.ts";

/** A turn whose last call was cut by the token limit. */
const cut = (...calls: Parameters<typeof asks>[1][]): ModelEvent[] =>
  asks("", ...calls.flatMap((call) => call ?? [])).map((event) =>
    event.type === "end" ? { ...event, finish: "length" } : event,
  );
const purge = { name: "purge", unparsable: "" };
const told =
  "The limit on the answer's tokens cut this call of purge before its arguments were finished, so it was not carried out. Send a shorter call, or several.";

/** A stage whose tools note that they were carried out. */
function staged(options: StageOptions, ...more: NonNullable<StageOptions["tools"]>) {
  const done: string[] = [];
  const noting = (name: string) => ({
    name,
    execute: async () => {
      done.push(name);
      return { success: true, data: "EVERYTHING" } as const;
    },
  });
  const run = stage({ ...options, tools: [noting("purge"), noting("look"), ...more] });
  return { run, done };
}

const asking: readonly ScriptedCall[] = [cut(purge), "Understood."];
const planned = (roles: Record<string, readonly ScriptedCall[]>) => ({
  roles: { planner: ['["a"]'], synthesizer: ["Done."], ...roles },
});
const cases: [pattern: string, options: StageOptions, asked: string][] = [
  ["react", { calls: asking }, "staged"],
  ["supervisor", { calls: asking }, "staged"],
  ["swarm", { calls: asking }, "staged"],
  ["plan_and_execute", planned({ worker: asking }), "staged/worker"],
  ["parallel_fan_out", planned({ worker: asking }), "staged/worker"],
  ["pipeline", { roles: { "stage:process": asking } }, "staged/stage:process"],
];

describe.each(cases)("%s:", (pattern, options, asked) => {
  test("a call that the token limit cut is not carried out, and the model learns why", async () => {
    const { run, done } = staged({ ...options, spec: { orchestration: { pattern } } });
    const { events, result } = await run.run();
    expect(done).toEqual([]);
    const output = { success: false, error: told };
    expect(events).toContainEqual(
      expect.objectContaining({ type: "tool_result", tool: "purge", ok: false, output }),
    );
    expect(result?.tool_calls).toMatchObject([{ tool: "purge", output }]);
    expect(run.modelOf(asked).requests[1]?.messages.at(-1)).toMatchObject({
      role: "tool",
      content: JSON.stringify(output),
    });
  });
});

test("a finished call beside the cut one is carried out", async () => {
  const { run, done } = staged({ calls: [cut({ name: "look" }, purge), "Understood."] });
  expect((await run.run()).result?.response).toBe("Understood.");
  expect(done).toEqual(["look"]);
});

test("a call without arguments in an answer without a clear end fails with its own reason", async () => {
  const { run, done } = staged({ calls: [asks("", purge), "Understood."] });
  const { result } = await run.run();
  expect(done).toEqual([]);
  expect(result?.tool_calls[0]?.output).toEqual({
    success: false,
    error:
      "The answer ended before this call of purge had arguments, so it was not carried out; send it again with them.",
  });
});

const parameters = { type: "object", properties: {} };
test.each<[kind: string, tool: Record<string, unknown>]>([
  ["that needs approval", { type: "webhook", config: { url: "https://x.test/" }, requires_approval: true }],
  ["of the client", { type: "client" }],
  ["that only proposes", { type: "webhook", config: { url: "https://x.test/" }, mode: "propose" }],
])("a cut call of a tool %s does not pause the run and proposes nothing", async (_, tool) => {
  const run = stage({
    calls: asking,
    spec: { tools: [{ name: "purge", description: "Deletes.", parameters, ...tool }] },
  });
  const { thrown, result } = await play(runWithApprovals(run.ports, run.agent, run.requestOf()));
  expect(thrown).toBeUndefined();
  expect(result).toMatchObject({ response: "Understood.", tool_calls: [{ output: { error: told } }] });
  expect(result?.propuestas ?? []).toEqual([]);
});

test("a cut hand-off leaves the conversation with its agent", async () => {
  const member = { spec: {}, calls: ["I am billing."] };
  const run = stage({
    calls: [cut({ name: "billing", unparsable: '{"reason' }), "I stay."],
    spec: {
      orchestration: { pattern: "swarm" },
      tools: [{ name: "billing", type: "agent", config: { agent: "billing" } }],
    },
    agents: { billing: member },
  });
  const { events, result } = await run.run();
  expect(events.filter(({ type }) => type === "handoff")).toEqual([]);
  expect(result?.response).toBe("I stay.");
});
