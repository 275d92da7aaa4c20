import { expect, test } from "bun:test";
import { agentFile, startDaemon } from "../support/daemon.ts";
import { settle } from "../support/fake-clock.ts";
import { countObjects, countRuns, openStatementCount, type StatementCount } from "../support/run-counts.ts";

/** What one run may cost at most; time is not counted, because it depends on the machine. One controller is that of the stored steps. */
const runMax = { statements: 13, timers: 6, abortControllers: 3, joinedSignals: 0 };
/** A collection meanwhile makes the count smaller, nothing makes it larger. It includes the client and the model server of the test, about a third. */
const objectsMax = 2_700;

test("a run with memory, guardrails, a trace and a tool call stays within its counts", async () => {
  using statements = openStatementCount();
  const redact = { type: "pii_detection", action: "redact" };
  const agent = agentFile("counted", {
    tools: [{ name: "datetime_now", type: "builtin" }],
    guardrails: { input: [redact], output: [redact] },
    observability: { tracing: true },
  });
  await using daemon = await startDaemon({
    agents: { "counted.agent.yaml": agent },
    models: {
      lab: ({ body: { messages } }) =>
        messages.at(-1)?.role === "tool"
          ? { text: "It is noon." }
          : { toolCalls: [{ name: "datetime_now", arguments: {} }] },
    },
  });
  const runs = 10;
  const run = async (turn: number) => {
    const { status } = await daemon.run("counted", { query: "What time is it?", session_id: `s${turn}` });
    expect(status).toBe(200);
  };
  await run(-1);
  await untilIdle(statements);
  const counts = await countRuns(runs, { clock: daemon.clock, statements }, async () => {
    for (let turn = 0; turn < runs; turn++) await run(turn);
    await daemon.clock.advance(1000);
  });
  for (const name of Object.keys(runMax) as (keyof typeof runMax)[])
    expect({ [name]: counts[name] <= runMax[name] }).toEqual({ [name]: true });

  const objects = await countObjects(runs, async () => {
    for (let turn = 0; turn < runs; turn++) await run(turn);
  });
  expect(objects).toBeGreaterThan(0);
  expect(objects).toBeLessThan(objectsMax);
});

/** Waits until the workers' first rounds, which give way to requests, have read all they want. */
async function untilIdle(statements: StatementCount): Promise<void> {
  for (let idle = 0, last = -1; idle < 100; idle++) {
    if (statements.executed !== last) idle = 0;
    last = statements.executed;
    await settle();
  }
}
