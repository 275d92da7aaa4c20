import { AppError } from "../../kit/app-error.ts";
import type { RunEvent } from "../run-state/run-event.ts";
import { callTools } from "./call-tools.ts";
import { type ModelTurn, modelTurn } from "./model-call/model-turn.ts";
import { iterationsLeft, type PatternRun } from "./pattern.ts";
import { type ModelThread, withLatestTools } from "./thread.ts";

/** How a loop over model and tools ended: the model answered, a condition held, or no model call was left. */
export type LoopEnd =
  | { stop: "answered"; text: string }
  | { stop: "condition"; turn: ModelTurn }
  | { stop: "max_iterations" };

/** Returns true if the loop should end after a turn whose calls were carried out. */
export type StopCondition = (turn: ModelTurn) => boolean;

export interface LoopOptions {
  role?: string;
  /** True if the text is part of the answer. */
  speak: boolean;
  /** Maximum model calls of the loop, within those left to the run. */
  turnsMax: number;
  stopWhen?: StopCondition;
}

/**
 * Lets a thread's model call tools until it answers without calling one. The last allowed call forbids tools, so that the loop ends with an
 * answer if possible. Throws `provider_failed` if the model returns nothing.
 */
export async function* toolLoop(
  run: PatternRun,
  begun: ModelThread,
  { role, speak, turnsMax, stopWhen }: LoopOptions,
): AsyncGenerator<RunEvent, LoopEnd> {
  let thread = begun;
  const options = role === undefined ? { speak } : { role, speak };
  let text = "";
  for (let left = Math.min(turnsMax, iterationsLeft(run)); left > 1; left--) {
    const turn = yield* modelTurn(run, thread, { ...options, toolChoice: "auto" });
    text = joined(text, turn.text);
    if (turn.calls.length === 0) {
      if (text !== "") return { stop: "answered", text: text };
      throw emptyAnswer(run.state);
    }
    yield* callTools(run, thread, turn);
    if (stopWhen?.(turn) === true) return { stop: "condition", turn };
    if (thread.listed !== undefined) thread = await withLatestTools(thread, thread.listed);
  }
  if (iterationsLeft(run) <= 0) return { stop: "max_iterations" };
  const turn = yield* modelTurn(run, thread, { ...options, toolChoice: "none" });
  if (turn.text !== "") return { stop: "answered", text: joined(text, turn.text) };
  if (thread.tools.size > 0 || turn.calls.length > 0) return { stop: "max_iterations" };
  throw emptyAnswer(run.state);
}

/** Text before a tool call is part of the loop's text. */
function joined(before: string, text: string): string {
  if (before === "" || text === "" || /\s$/.test(before.slice(-1))) return before + text;
  return `${before}\n\n${text}`;
}

function emptyAnswer({ provider, model }: { provider: string; model: string }): AppError {
  return new AppError(
    "upstream_failed",
    "provider_failed",
    `${provider}/${model} answered with no text and no tool call.`,
  );
}
