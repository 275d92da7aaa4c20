/**
 * Measures the overhead of a tool call: reading the input, deadline, limits, JSON (`executeTool`), and a run's own part (span, events, the
 * result for the model). Compared with calling the tool's function and awaiting it; the best of several rounds. Also measures 50 calls of
 * one answer that each wait 20 ms.
 *
 *   bun scripts/bench/tool-dispatch.ts [calls] [rounds]
 */
import { callTools } from "../../src/engine/orchestration/call-tools.ts";
import type { PatternRun } from "../../src/engine/orchestration/pattern.ts";
import type { Thread } from "../../src/engine/orchestration/thread.ts";
import { newRunState } from "../../src/engine/run-state/run-state.ts";
import { TraceRecorder } from "../../src/engine/telemetry/trace-recorder.ts";
import { builtinWith } from "../../src/engine/tools/bind-builtin.ts";
import { type BoundTool, readQuickly } from "../../src/engine/tools/bound-tool.ts";
import { datetimeNow } from "../../src/engine/tools/builtin/datetime-now.ts";
import { executeTool } from "../../src/engine/tools/execute-tool.ts";
import type { ToolContext } from "../../src/engine/tools/tool.ts";
import { sleep, systemClock } from "../../src/kit/clock.ts";
import { silentLogger } from "../../src/kit/log.ts";

const calls = Number(process.argv[2] ?? 100_000);
const rounds = Number(process.argv[3] ?? 5);
const goalMicros = 20;

const clock = systemClock;
const { signal } = new AbortController();
const context: ToolContext = {
  tenant: "bench",
  agent: "bench",
  sessionId: "bench",
  signal,
  clock,
  log: silentLogger,
  runAgent: async () => ({ success: false, error: "no agents here" }),
  propose: async () => undefined,
};
// The tool uses only the clock.
const ports = { clock } as Parameters<typeof builtinWith>[2];
const tool: BoundTool = { ...builtinWith(datetimeNow, {}, ports), timeoutMs: 30_000 };
const waiting: BoundTool = {
  tool: {
    name: "wait",
    type: "internal",
    description: "Waits.",
    parameters: { type: "object" },
    async execute() {
      await sleep(clock, 20);
      return { success: true, data: null };
    },
  },
  read: readQuickly(() => ({ input: {} })),
  timeoutMs: 30_000,
};

/** Returns a thread of a run with only these calls. */
function staged(bound: BoundTool): { run: PatternRun; thread: Thread } {
  const trace = new TraceRecorder(clock, "bench", "agent.run", {});
  const thread = {
    agent: "bench",
    messages: [],
    tools: new Map([[bound.tool.name, bound]]),
    allowances: [],
    maxToolResultTokens: 8000,
    toolContext: context,
    span: trace.root,
  } as unknown as Thread;
  const run = { state: newRunState([]), trace, clock, signal, observer: { toolExecuted() {} } };
  return { run: run as unknown as PatternRun, thread };
}

async function callsOfOneAnswer(bound: BoundTool, count: number): Promise<void> {
  const { run, thread } = staged(bound);
  const wanted = Array.from({ length: count }, (_, index) => ({
    id: `c${index}`,
    name: bound.tool.name,
    input: {},
  }));
  for await (const _ of callTools(run, thread, { calls: wanted, finish: "tool_calls" }));
}

/** Returns the microseconds per call, the best of the rounds. */
async function measured(work: () => Promise<void>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round <= rounds; round++) {
    const startedMs = performance.now();
    await work();
    // The first round is a warm-up.
    if (round > 0) best = Math.min(best, ((performance.now() - startedMs) * 1000) / calls);
  }
  return best;
}

const bare = await measured(async () => {
  for (let call = 0; call < calls; call++) await tool.tool.execute({}, context);
});
const executed = await measured(async () => {
  for (let call = 0; call < calls; call++) await executeTool(tool, {}, context);
});
const dispatched = await measured(async () => {
  for (let call = 0; call < calls; call += 50) await callsOfOneAnswer(tool, 50);
});

const show = (name: string, micros: number) =>
  console.log(
    `  ${name.padEnd(34)}${micros.toFixed(2).padStart(8)} µs${(micros - bare).toFixed(2).padStart(10)} µs more`,
  );
console.log(`${calls} calls of ${tool.tool.name}, best of ${rounds}`);
show("the function alone", bare);
show("executeTool", executed);
show("a run's call, 50 to an answer", dispatched);

const startedMs = performance.now();
await callsOfOneAnswer(waiting, 50);
console.log(`  50 calls that wait 20 ms each: ${(performance.now() - startedMs).toFixed(1)} ms together`);
const overhead = dispatched - bare;
console.log(`${overhead.toFixed(1)} µs of ${goalMicros} µs`);
process.exitCode = overhead <= goalMicros ? 0 : 1;
