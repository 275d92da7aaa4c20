import type { PatternOutcome } from "../orchestration/pattern.ts";
import type { Run } from "./run.ts";
import type { RunEvent } from "./run-event.ts";

/**
 * Passes a pattern's events through the output guardrails, traced as `guardrails.output`: nothing leaves that a guardrail
 * removes, and `run.response` is exactly the token contents joined. Throws `guardrail_blocked` when one blocks.
 */
export async function* guardOutput(
  run: Run,
  events: AsyncGenerator<RunEvent, PatternOutcome>,
): AsyncGenerator<RunEvent, PatternOutcome> {
  const chain = run.agent.outputGuardrails;
  if (chain.length === 0) {
    const outcome = yield* events;
    run.response = run.state.answer;
    return outcome;
  }
  const stream = chain.open();
  let next = await events.next();
  try {
    while (next.done !== true) {
      const event = next.value;
      switch (event.type) {
        case "token": {
          const content = stream.push(event.content);
          if (content !== "") {
            run.response += content;
            yield { type: "token", content };
          }
          break;
        }
        case "tool_call":
          yield { ...event, input: chain.filterValue(event.input) };
          break;
        case "tool_result":
          yield { ...event, output: chain.filterValue(event.output) };
          break;
        default:
          yield event;
      }
      next = await events.next();
    }
  } finally {
    await events.return({ outcome: "answered" });
  }
  const span = run.trace.start("guardrails.output");
  try {
    const rest = stream.end();
    if (rest !== "") {
      run.response += rest;
      yield { type: "token", content: rest };
    }
    for (const report of stream.reports()) {
      if (report.hits === 0) continue;
      run.outputFiltered ||= report.outcome === "redacted";
      span.set(report.type, report.outcome);
      yield {
        type: "guardrail",
        guardrail: report.type,
        stage: "output",
        outcome: report.outcome,
        hits: report.hits,
      };
    }
    for (const call of run.state.toolCalls) {
      call.input = chain.filterValue(call.input);
      call.output = chain.filterValue(call.output);
    }
    span.end();
    return next.value;
  } finally {
    span.end("ERROR");
  }
}
