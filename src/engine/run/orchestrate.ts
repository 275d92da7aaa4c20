import { AppError } from "../../kit/app-error.ts";
import type { PatternRun } from "../orchestration/pattern.ts";
import type { SpanHandle } from "../telemetry/trace-recorder.ts";
import { guardOutput, releaseRest } from "./guard-output.ts";
import type { Run } from "./run.ts";
import type { RunEvent } from "./run-event.ts";
import type { RunnableAgent } from "./runnable-agent.ts";

/** Lets the agent's pattern find the answer, traced as `orchestration`, behind the output guardrails. */
export async function* orchestrate(run: Run, systemPrompt: string): AsyncGenerator<RunEvent, void> {
  const { agent, trace } = run;
  const span = trace.start("orchestration", { pattern: agent.pattern.name });
  const answer = agent.outputGuardrails.open();
  const events = agent.pattern.run(patternRun(run, systemPrompt, span));
  const { outcome } = yield* guardOutput(run, answer, events);
  if (outcome === "max_iterations") throw maxIterations(agent);
  span.end();
  yield* releaseRest(run, answer);
}

function patternRun(run: Run, systemPrompt: string, span: SpanHandle): PatternRun {
  const { agent, request, state, trace, ports, signal } = run;
  return {
    state,
    preamble: systemPrompt === "" ? [] : [{ role: "system", content: systemPrompt }],
    router: agent.router,
    tools: agent.tools,
    toolSpecs: agent.toolSpecs,
    toolContext: {
      tenant: request.tenant,
      agent: agent.name,
      sessionId: request.sessionId,
      signal,
      clock: ports.clock,
      log: ports.log,
    },
    maxIterations: agent.maxIterations,
    maxToolResultTokens: agent.maxToolResultTokens,
    stream: request.stream,
    parameters: request.parameters,
    trace,
    span,
    record: contentRecorder(run),
    observer: ports.observer,
    clock: ports.clock,
    signal,
  };
}

/** What was said, as spans may hold it: as the output guardrails let it through and without known secrets. Undefined unless the agent records it. */
function contentRecorder({ agent, ports }: Run): PatternRun["record"] {
  if (!agent.tracing.recordContent) return undefined;
  return (value) => {
    try {
      return ports.redact(agent.outputGuardrails.filterValue(value));
    } catch {
      return "[blocked by a guardrail]";
    }
  };
}

function maxIterations(agent: RunnableAgent): AppError {
  return new AppError(
    "unprocessable",
    "max_iterations",
    `Agent ${agent.name} reached ${agent.maxIterations} model calls without an answer.`,
    { details: { hint: "Raise spec.orchestration.max_iterations, or give the agent fewer tools." } },
  );
}
