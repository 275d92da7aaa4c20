import { AppError } from "../../kit/app-error.ts";
import type { Echo, FinishReason, Message, ToolCall } from "../models/model.ts";
import type { RunEvent } from "../run/run-event.ts";
import { addUsage } from "../run/run-state.ts";
import type { PatternRun } from "./pattern.ts";

/** What a model said in one call. */
export interface ModelTurn {
  text: string;
  calls: ToolCall[];
  finish: FinishReason;
  /** What the provider wants back with this turn. */
  echo?: Echo;
}

/**
 * Calls the model once with the conversation so far, traced as `llm.complete`; yields its text as it comes
 * and appends what it said to the conversation and to the answer.
 */
export async function* modelTurn(
  run: PatternRun,
  toolChoice: "auto" | "none",
): AsyncGenerator<RunEvent, ModelTurn> {
  const { state, trace, clock } = run;
  const span = trace.start("llm.complete", {}, run.span);
  const startedMs = clock.monotonicMs();
  const turn: ModelTurn = { text: "", calls: [], finish: "stop" };
  state.iterations++;
  try {
    const events = run.router.call(
      {
        messages: [...run.preamble, ...state.messages],
        tools: run.toolSpecs,
        toolChoice,
        stream: run.stream,
        ...(run.parameters === undefined ? {} : { parameters: run.parameters }),
      },
      run.signal,
    );
    for await (const event of events) {
      switch (event.type) {
        case "text":
          if (event.text === "") break;
          // Text before a tool call is part of the answer: a blank line keeps it apart from what follows.
          if (turn.text === "" && state.answer !== "" && !/\s$/.test(state.answer.slice(-1))) {
            state.answer += "\n\n";
            yield { type: "token", content: "\n\n" };
          }
          turn.text += event.text;
          state.answer += event.text;
          yield { type: "token", content: event.text };
          break;
        case "tool_call":
          turn.calls.push(event.call);
          break;
        case "chosen":
          state.provider = event.provider;
          state.model = event.model;
          state.simulated ||= event.simulated;
          span.set("provider", event.provider);
          span.set("model", event.model);
          if (event.attempt > 1) span.set("attempt", event.attempt);
          break;
        case "end":
          turn.finish = event.finish;
          state.finish = event.finish;
          if (event.echo) turn.echo = event.echo;
          addUsage(state.usage, event.usage);
          span.set("input_tokens", event.usage.inputTokens);
          span.set("output_tokens", event.usage.outputTokens);
          span.set("finish", event.finish);
          break;
      }
    }
    if (turn.finish === "content_filter" && turn.text === "") {
      throw new AppError(
        "unprocessable",
        "content_refused",
        `${state.provider} refused to answer this content.`,
      );
    }
    if (run.record) span.set("output", run.record(turn.text));
    span.end();
  } finally {
    state.modelMs += clock.monotonicMs() - startedMs;
    // A call that did not reach `end` was cut off: the first end wins.
    span.end("ERROR");
  }
  state.messages.push(assistantMessage(turn));
  return turn;
}

function assistantMessage({ text, calls, echo }: ModelTurn): Message {
  return {
    role: "assistant",
    content: text,
    ...(calls.length > 0 && { toolCalls: calls }),
    ...(echo && { echo }),
  };
}
