import type { ToolCallRecord } from "../../contracts/daemon/run.ts";
import type { ChainStream } from "../guardrails/chain.ts";
import type { PatternOutcome } from "../orchestration/pattern.ts";
import { noteFinding } from "./note-finding.ts";
import type { Run } from "./run.ts";
import type { RunEvent } from "./run-event.ts";

/**
 * Passes a pattern's events through the output guardrails: nothing leaves that one of them removes, and what may yet turn
 * out to be a match is held back in `answer`. Throws `guardrail_blocked` as soon as one blocks, which ends the pattern.
 */
export async function* guardOutput(
  run: Run,
  answer: ChainStream,
  events: AsyncGenerator<RunEvent, PatternOutcome>,
): AsyncGenerator<RunEvent, PatternOutcome> {
  const chain = run.agent.outputGuardrails;
  if (chain.length === 0) return yield* events;
  const inputs = new Map<string, ToolCallRecord["input"]>();
  try {
    let next = await events.next();
    while (next.done !== true) {
      const event = next.value;
      switch (event.type) {
        case "token": {
          const content = answer.push(event.content);
          run.response += content;
          if (content !== "") yield { type: "token", content };
          break;
        }
        case "tool_call": {
          const input = chain.filterValue(event.input);
          inputs.set(event.id, input);
          yield { ...event, input };
          break;
        }
        case "tool_result": {
          const output = chain.filterValue(event.output);
          run.toolCalls.push({ tool: event.tool, input: inputs.get(event.id) ?? {}, output });
          yield { ...event, output };
          break;
        }
        case "step":
          yield { ...event, content: chain.filterValue(event.content) };
          break;
        case "handoff":
          yield event.reason === undefined ? event : { ...event, reason: chain.filterValue(event.reason) };
          break;
        default:
          yield event;
      }
      next = await events.next();
    }
    return next.value;
  } finally {
    await events.return({ outcome: "answered" });
  }
}

/**
 * The answer is complete: releases what the output guardrails held back and tells what they found, traced as
 * `guardrails.output`. Afterwards `run.response` is exactly the token contents joined, and `run.toolCalls` is complete.
 */
export async function* releaseRest(run: Run, answer: ChainStream): AsyncGenerator<RunEvent, void> {
  const { agent, state, trace } = run;
  const chain = agent.outputGuardrails;
  if (chain.length === 0) {
    run.response = state.answer;
    run.toolCalls = state.toolCalls;
    return;
  }
  const span = trace.start("guardrails.output");
  const content = answer.end();
  run.response += content;
  if (content !== "") yield { type: "token", content };
  for (const report of answer.reports()) {
    if (report.hits === 0) continue;
    run.outputFiltered ||= report.outcome === "redacted";
    yield noteFinding(run, span, report);
  }
  span.end();
}
