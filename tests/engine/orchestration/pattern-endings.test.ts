import { describe, expect, test } from "bun:test";
import { settle } from "../../support/fake-clock.ts";
import type { ScriptedCall } from "../../support/scripted-model.ts";
import { asks, play, type Stage, type StageOptions, stage, untilAbort } from "../../support/staged-run.ts";

const timeoutSeconds = 20;

const hanging: ScriptedCall = async function* (_, signal) {
  yield await untilAbort(signal);
};
const half: ScriptedCall = async function* (_, signal) {
  yield { type: "text", text: "Hal" };
  yield await untilAbort(signal);
};
const tools: StageOptions["tools"] = [
  { name: "quick", execute: async () => ({ success: true, data: 1 }) },
  { name: "deaf", execute: () => new Promise(() => {}), timeoutMs: 600_000 },
];

type Roles = Record<string, readonly ScriptedCall[]>;
const planned: Roles = { planner: ['["a", "b"]'], worker: ["Did it."], synthesizer: ["Done."] };
const stages: Roles = { "stage:analyze": ["A."], "stage:process": ["P."], "stage:synthesize": ["S."] };

/** Places where a run of each pattern may hang: the roles' scripts, and the text and steps by then. */
const places: [pattern: string, place: string, roles: Roles, tokens: string, steps: number][] = [
  ...["plan_and_execute", "parallel_fan_out"].flatMap((pattern): typeof places => [
    [pattern, "while it is planned", { ...planned, planner: [hanging] }, "", 0],
    [pattern, "in the middle of a plan", { ...planned, planner: [half] }, "", 0],
    [pattern, "while a worker's model is asked", { ...planned, worker: [hanging] }, "", 1],
    [pattern, "in the middle of a result", { ...planned, worker: [half] }, "", 1],
    [pattern, "while a worker's tool works", { ...planned, worker: [asks("", "deaf")] }, "", 1],
    [
      pattern,
      "while one of several works",
      { ...planned, worker: [asks("", "quick", "deaf", "quick")] },
      "",
      1,
    ],
    [pattern, "while the second worker is asked", { ...planned, worker: ["Did it.", hanging] }, "", 2],
    [pattern, "before the answer", { ...planned, synthesizer: [hanging] }, "", 3],
    [pattern, "in the middle of the answer", { ...planned, synthesizer: [half] }, "Hal", 3],
  ]),
  ["pipeline", "in the first stage", { ...stages, "stage:analyze": [hanging] }, "", 0],
  ["pipeline", "in the middle of a stage", { ...stages, "stage:process": [half] }, "", 1],
  ["pipeline", "while a stage's tool works", { ...stages, "stage:process": [asks("", "deaf")] }, "", 1],
  ["pipeline", "before the answer", { ...stages, "stage:synthesize": [hanging] }, "", 2],
  ["pipeline", "in the middle of the answer", { ...stages, "stage:synthesize": [half] }, "Hal", 2],
  [
    "pipeline",
    "while the last stage's tool works",
    { ...stages, "stage:synthesize": [asks("Hm.", "deaf")] },
    "Hm.",
    2,
  ],
];

const staged = (pattern: string, roles: Roles) =>
  stage({ roles, tools, spec: { orchestration: { pattern, timeout_seconds: timeoutSeconds } } });

/** Checks the state after any run that was ended. */
async function expectEnded(run: Stage, status: string, code: string): Promise<void> {
  await settle();
  expect(run.finished.map((finished) => finished.status)).toEqual([status as "error"]);
  expect(run.traces).toHaveLength(1);
  const [root, ...spans] = run.traces[0]?.spans ?? [];
  expect(root).toMatchObject({ name: "agent.run", status: "ERROR", attributes: { status, error: code } });
  expect(spans.find(({ name }) => name === "orchestration")?.status).toBe("ERROR");
  expect([run.openAnswers(), run.clock.pending]).toEqual([0, 0]);
  expect(await run.turns()).toEqual([]);
}

describe.each(places)("%s, %s:", (pattern, _, roles, said, steps) => {
  test("a cancelled run ends, and nothing stays open", async () => {
    const run = staged(pattern, roles);
    const caller = new AbortController();
    const playing = play(run.start({ cancelledBy: [caller.signal] }));
    await settle();
    expect(run.finished).toEqual([]);
    caller.abort();
    const { thrown, tokens, events } = await playing;
    expect(thrown).toMatchObject({ code: "run_cancelled" });
    expect(tokens).toBe(said);
    expect(events.filter(({ type }) => type === "step")).toHaveLength(steps);
    await expectEnded(run, "cancelled", "run_cancelled");
  });

  test("a run ends with 408 when its time is up, and nothing stays open", async () => {
    const run = staged(pattern, roles);
    const playing = play(run.start());
    await run.clock.advance(timeoutSeconds * 1000 - 1);
    expect(run.finished).toEqual([]);
    await run.clock.advance(1);
    expect((await playing).thrown).toMatchObject({ code: "orchestration_timeout", status: 408 });
    await expectEnded(run, "timeout", "orchestration_timeout");
  });
});

describe.each([
  ["plan_and_execute", planned],
  ["parallel_fan_out", planned],
  ["pipeline", stages],
])("%s:", (pattern, roles) => {
  test("a reader may leave after each event", async () => {
    let length = Number.POSITIVE_INFINITY;
    for (let read = 1; read < length; read++) {
      const run = staged(pattern, { ...roles, worker: [asks("", "quick"), "Did it."] });
      const events = run.start();
      let isDone = false;
      for (let got = 0; got < read && !isDone; got++) isDone = (await events.next()).value?.type === "done";
      if (isDone) length = read;
      await events.return();
      if (!isDone) await expectEnded(run, "cancelled", "run_cancelled");
    }
    expect(length).toBeGreaterThan(3);
  });

  test("the shape of the answer is asked for in the last call alone", async () => {
    const schema = { name: "answer", schema: { type: "object" } };
    const run = staged(pattern, roles);
    run.agent.structured = {
      schema,
      instruction: "Answer as JSON.",
      // biome-ignore lint/correctness/useYield: this answer is read at once.
      *read() {
        return { data: null, error: "none" };
      },
    };
    await run.run();
    const asked = Object.keys(roles).map((role) =>
      run.modelOf(`staged/${role}`).requests.map(({ answerSchema }) => answerSchema !== undefined),
    );
    const note = "not for what you write now";
    const noted = Object.keys(roles).map((role) =>
      run.modelOf(`staged/${role}`).requests.map(({ messages }) => JSON.stringify(messages).includes(note)),
    );
    expect(noted.flat()).toEqual(asked.flat().map((isAsked) => !isAsked));
    expect(asked.flat()).toEqual([...asked.flat().slice(1).fill(false), true]);
  });

  test("the conversation ends with the answer", async () => {
    const run = staged(pattern, roles);
    const before = run.agent.pattern.run;
    let messages: Parameters<typeof before>[0]["state"]["messages"] = [];
    run.agent.pattern.run = (patternRun) => {
      messages = patternRun.state.messages;
      return before(patternRun);
    };
    const { result } = await run.run();
    expect(messages).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: result?.response ?? "" },
    ]);
  });
});
