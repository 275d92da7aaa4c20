import { AppError } from "../../../kit/app-error.ts";
import type { Message } from "../../models/model.ts";
import type { RunEvent } from "../../run-state/run-event.ts";
import { trimResult } from "../../tools/trim-result.ts";
import { modelTurn } from "../model-call/model-turn.ts";
import { iterationsLeft, type PatternOutcome, type PatternRun } from "../pattern.ts";
import { branch, type ModelThread, withTools } from "../thread.ts";
import { type LoopEnd, toolLoop } from "../tool-loop.ts";
import { cutTask, readPlan } from "./read-plan.ts";
import { synthesisInstruction, type TaskResult, withInstruction, withoutSchema } from "./task-prompts.ts";

/** A part of the run that a model works on in its own thread. */
export interface Subtask {
  /** Name of its span. */
  name: string;
  /** Starts at 1. It distinguishes its tool calls from those of other parts, because ids are unique in one thread only. */
  number: number;
  role: string;
  /** True if its text is part of the answer. */
  speak: boolean;
  /** Maximum model calls. */
  turnsMax: number;
}

/** The conversation with the user and an instruction at its end. `speak`: the answer to the instruction is the answer of the run. */
export function threadFor(
  { main, query, answerSchema }: PatternRun,
  instruction: string,
  speak: boolean,
): ModelThread {
  const isOnTheWay = answerSchema !== undefined && !speak;
  const systemText = isOnTheWay ? `${withoutSchema}\n\n${instruction}`.trimEnd() : instruction;
  const content = withInstruction(query, systemText);
  const lastMessage = main.messages.at(-1);
  const images = lastMessage?.role === "user" ? lastMessage.images : undefined;
  const message: Message = { role: "user", content, ...(images && { images }) };
  return branch(main, { messages: [...main.messages.slice(0, -1), message] });
}

/** Lets a model and its tools carry out one part, traced as `step`. */
export async function* workOn(
  run: PatternRun,
  thread: ModelThread,
  { name, number, role, speak, turnsMax }: Subtask,
): AsyncGenerator<RunEvent, LoopEnd> {
  const span = run.trace.start("step", { name }, thread.span);
  const loop = toolLoop(run, { ...thread, span }, { role, speak, turnsMax });
  try {
    let next = await loop.next();
    while (next.done !== true) {
      const event = next.value;
      const isCall = event.type === "tool_call" || event.type === "tool_result";
      yield isCall ? { ...event, id: `${number}.${event.id}` } : event;
      next = await loop.next();
    }
    if (next.value.stop === "answered") span.end();
    return next.value;
  } finally {
    await loop.return({ stop: "max_iterations" });
    span.end("ERROR");
  }
}

/** Result of a task whose loop has ended. */
export function resultOf(task: string, end: LoopEnd): TaskResult {
  return end.stop === "answered"
    ? { task, text: end.text, ok: true }
    : { task, text: "No result: its model calls were used up.", ok: false };
}

/** Tasks of a run. */
export interface TaskPlan {
  tasks: string[];
  /** True if the planner returned no tasks, so that the request itself is the only task. */
  isWhole: boolean;
}

/** Asks the planner for tasks; empty if its answer contains no plan. */
export async function* askForTasks(run: PatternRun, instruction: string): AsyncGenerator<RunEvent, string[]> {
  const thread = threadFor(run, instruction, false);
  const { text } = yield* modelTurn(run, thread, { role: "planner", toolChoice: "none", speak: false });
  return readPlan(text);
}

/** A plan with at most `tasksMax` of these tasks: the last one includes the rest. */
export function planOf({ query }: PatternRun, tasks: readonly string[], tasksMax: number): TaskPlan {
  if (tasks.length === 0) return { tasks: [cutTask(query)], isWhole: true };
  return { tasks: folded(tasks, tasksMax), isWhole: false };
}

function folded(tasks: readonly string[], tasksMax: number): string[] {
  if (tasks.length <= tasksMax) return [...tasks];
  return [...tasks.slice(0, tasksMax - 1), cutTask(tasks.slice(tasksMax - 1).join("\n"))];
}

/** Share of `turns` for the first of `parts`: at least one each, and unused turns go to the others. */
export function shareOf(turns: number, parts: number): number {
  return Math.ceil(turns / parts);
}

/** One call each for planner, one part and synthesis. */
const turnsToPlan = 3;

/** Returns true if the run may make too few model calls for a plan. It then answers directly. */
export function isTooShortToPlan(run: PatternRun): boolean {
  return iterationsLeft(run) < turnsToPlan;
}

/** Answers without a plan, with model and tools. */
export function answerDirectly(run: PatternRun): AsyncGenerator<RunEvent, PatternOutcome> {
  return toolLoop(run, run.main, { role: "synthesizer", speak: true, turnsMax: iterationsLeft(run) });
}

/** Streams the answer made from the results. Throws `max_iterations` if there are no results. */
export async function* synthesize(
  run: PatternRun,
  results: readonly TaskResult[],
): AsyncGenerator<RunEvent, PatternOutcome> {
  if (!results.some(({ ok }) => ok)) throw nothingFound(run);
  const instruction = synthesisInstruction(shortened(run, "synthesizer", results));
  const thread = withTools(threadFor(run, instruction, true), () => false);
  const end = yield* toolLoop(run, thread, { role: "synthesizer", speak: true, turnsMax: 1 });
  return concluded(run, end);
}

/** Adds the answer to the conversation with the user. */
export function concluded({ main, state }: PatternRun, end: LoopEnd): PatternOutcome {
  if (end.stop === "answered") main.messages.push({ role: "assistant", content: state.answer });
  return end;
}

/** Results cut for the models of a role: together they fill at most half of the context window. */
export function shortened({ main }: PatternRun, role: string, results: readonly TaskResult[]): TaskResult[] {
  const tokensMax = Math.floor(main.routerFor(role).contextWindow / 2 / Math.max(1, results.length));
  return results.map((result) => ({
    ...result,
    text: trimResult(result.text, tokensMax),
  }));
}

function nothingFound({ maxIterations, main }: PatternRun): AppError {
  return new AppError(
    "unprocessable",
    "max_iterations",
    `No part of the work of agent ${main.agent} came to a result within its share of ${maxIterations} model calls.`,
    { details: { hint: "Raise spec.orchestration.max_iterations, or give the agent fewer tools." } },
  );
}
