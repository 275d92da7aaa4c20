import type { ToolCallRecord } from "../../../contracts/daemon/runs/run.ts";
import { inPieces, isOthersTurn } from "../../../kit/concurrency/others-turn.ts";
import type { ChainStream } from "../../guardrails/answer-chain.ts";
import type { PatternOutcome } from "../../orchestration/pattern.ts";
import type { RunEvent } from "../../run-state/run-event.ts";
import type { SpanHandle } from "../../telemetry/trace-recorder.ts";
import type { Run } from "../run.ts";
import { noteFindings } from "./note-findings.ts";

/**
 * Passes a pattern's events through the output guardrails. Text that a guardrail removes never leaves, and text that may still become a
 * match is held back in `answer` and released at the end, unless `ended` refuses the outcome. An answer that reaches its limit ends the
 * pattern and thereby the model's call. Throws `guardrail_blocked` as soon as a guardrail blocks, which ends the pattern, too.
 */
export async function* guardOutput(
  run: Run,
  answer: ChainStream,
  events: AsyncGenerator<RunEvent, PatternOutcome>,
  ended: (outcome: PatternOutcome) => void,
): AsyncGenerator<RunEvent, void> {
  const inputs = new Map<string, ToolCallRecord["input"]>();
  let outcome = run.agent.outputGuardrails.length === 0 ? yield* events : undefined;
  try {
    while (outcome === undefined) {
      const next = await events.next();
      if (next.done === true) {
        outcome = next.value;
        break;
      }
      const given = next.value;
      const checkedText =
        given.type === "token" && !isOthersTurn() ? answer.pushShort(given.content) : undefined;
      if (given.type === "tokens") yield* guardedTokens(run, answer, given.contents);
      else if (checkedText === undefined) {
        const event = await guarded(run, answer, inputs, given);
        if (event !== undefined) yield event;
      } else if (checkedText !== "") {
        run.response += checkedText;
        yield { type: "token", content: checkedText };
      }
      if (answer.isComplete) {
        run.state.finish = "length";
        outcome = { stop: "answered" };
      }
    }
  } catch (thrown) {
    if (answer.reports().some(({ outcome }) => outcome !== "passed")) {
      for (const event of noteOutput(run, answer, run.trace.start("guardrails.output"), "ERROR")) yield event;
    }
    throw thrown;
  } finally {
    await events.return({ stop: "answered" });
  }
  ended(outcome);
  const releasing = releaseRest(run, answer);
  const released = releasing instanceof Promise ? await releasing : releasing;
  for (const event of released.events) yield event;
  if (released.fault !== undefined) throw released.fault.thrown;
}

/** Tokens that arrived together, each checked by itself. Those before a block leave before it is thrown. */
async function* guardedTokens(
  run: Run,
  answer: ChainStream,
  tokens: readonly string[],
): AsyncGenerator<RunEvent, void> {
  const contents: string[] = [];
  let fault: { thrown: unknown } | undefined;
  try {
    for (const token of tokens) {
      const atOnce = isOthersTurn() ? undefined : answer.pushShort(token);
      const checkedText = atOnce ?? (await inPieces(answer.push(token), run.signal));
      if (checkedText !== "") contents.push(checkedText);
      if (answer.isComplete) break;
    }
  } catch (thrown) {
    fault = { thrown };
  }
  if (contents.length > 0) {
    run.response += contents.join("");
    yield { type: "tokens", contents };
  }
  if (fault !== undefined) throw fault.thrown;
}

/** The event as it may leave; undefined if all of it is held back. */
async function guarded(
  run: Run,
  answer: ChainStream,
  inputs: Map<string, ToolCallRecord["input"]>,
  event: RunEvent,
): Promise<RunEvent | undefined> {
  switch (event.type) {
    case "token": {
      const content = await inPieces(answer.push(event.content), run.signal);
      run.response += content;
      return content === "" ? undefined : { type: "token", content };
    }
    case "tool_call": {
      const input = await inPieces(answer.filterValue(event.input), run.signal);
      inputs.set(event.id, input);
      return { ...event, input };
    }
    case "tool_result": {
      const output = await inPieces(answer.filterValue(event.output), run.signal);
      run.toolCalls.push({ tool: event.tool, input: inputs.get(event.id) ?? {}, output });
      return { ...event, output };
    }
    case "step":
      return { ...event, content: await inPieces(answer.filterValue(event.content), run.signal) };
    case "handoff":
      return event.reason === undefined
        ? event
        : { ...event, reason: await inPieces(answer.filterValue(event.reason), run.signal) };
    default:
      return event;
  }
}

/** The rest of an answer that passed the guardrails. A blocked answer reports the findings and ends with the error. */
interface ReleasedOutput {
  events: readonly RunEvent[];
  fault?: { thrown: unknown };
}

/**
 * The answer is complete: releases the text that the output guardrails held back and reports their findings, traced as `guardrails.output`.
 * Afterwards `run.response` equals the joined token contents, and `run.toolCalls` is complete. Returns the result itself if little is held
 * back.
 */
function releaseRest(run: Run, answer: ChainStream): ReleasedOutput | Promise<ReleasedOutput> {
  const { agent, state, trace } = run;
  if (agent.outputGuardrails.length === 0) {
    run.response = state.answer;
    run.toolCalls = state.toolCalls;
    return nothing;
  }
  const span = trace.start("guardrails.output");
  try {
    const content = isOthersTurn() ? undefined : answer.endShort();
    return content === undefined ? releaseLong(run, answer, span) : released(run, answer, span, content);
  } catch (thrown) {
    return { events: noteOutput(run, answer, span, "ERROR"), fault: { thrown } };
  }
}

const nothing: ReleasedOutput = { events: [] };

async function releaseLong(run: Run, answer: ChainStream, span: SpanHandle): Promise<ReleasedOutput> {
  try {
    return released(run, answer, span, await inPieces(answer.end(), run.signal));
  } catch (thrown) {
    return { events: noteOutput(run, answer, span, "ERROR"), fault: { thrown } };
  }
}

function released(run: Run, answer: ChainStream, span: SpanHandle, content: string): ReleasedOutput {
  run.response += content;
  const findings = noteOutput(run, answer, span, "OK");
  return { events: content === "" ? findings : [{ type: "token", content }, ...findings] };
}

function noteOutput(
  run: Run,
  answer: ChainStream,
  span: SpanHandle,
  status: "OK" | "ERROR",
): readonly RunEvent[] {
  const reports = answer.reports();
  run.outputFiltered = false;
  for (const { type, hits, outcome } of reports) {
    if (type === "cost_limit" && hits > 0) run.withinBudget = false;
    else if (outcome === "redacted") run.outputFiltered = true;
  }
  const events = noteFindings(run, span, reports);
  span.end(status);
  return events;
}
