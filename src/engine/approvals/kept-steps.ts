import type { RunFence } from "../memory/conversation.ts";
import type { RoutedEvent } from "../models/model-router.ts";
import { costMicros } from "../models/price.ts";
import type { UsageRecord } from "../spending/usage-record.ts";
import type { JournalEntry } from "./paused-run.ts";

/** Keeps the steps of a durable run outside its process, so that another one can continue it. */
export interface KeptSteps {
  runId: string;
  readonly fence: RunFence;
  /** Steps of the processes that were interrupted; undefined in the first one. */
  readonly earlier: readonly JournalEntry[] | undefined;
  /** Keeps a step soon. It is made when it is written, because most runs end before. */
  add(step: () => JournalEntry): void;
  /** Keeps all steps so far at once, without waiting. */
  hurry(): void;
  /** Resolves when all steps so far are stored. Rejects if they can't be, and if another process continues the run. */
  stored(): Promise<void>;
  /** True once this process, or the one that it works for, is stopping: another one continues the run. */
  isLeaving(): boolean;
  /** `lost` is called when another process is known to continue the run. */
  whenLost(lost: (reason: unknown) => void): void;
}

/** Tools whose calls were about to be made and have no stored end: nobody knows whether they were carried out. */
export function unknownOutcomes(steps: readonly JournalEntry[]): string[] {
  const open = new Map<string, { tool: string; calls: number }>();
  for (const step of steps) {
    const call = open.get(step.key);
    if (step.kind === "begun") open.set(step.key, { tool: step.tool, calls: (call?.calls ?? 0) + 1 });
    else if (step.kind === "tool" && call !== undefined) call.calls--;
  }
  return [...new Set([...open.values()].flatMap(({ tool, calls }) => (calls > 0 ? [tool] : [])))];
}

type Used = Pick<
  UsageRecord,
  "provider" | "model" | "role" | "inputTokens" | "outputTokens" | "cachedTokens" | "estimated" | "costMicros"
>;

/** The step in fewer events: the pieces of an answer as one text. */
export function shortened(step: JournalEntry): JournalEntry {
  if (step.kind !== "model") return step;
  const events: RoutedEvent[] = [];
  for (const event of step.events) {
    const text =
      event.type === "text" ? event.text : event.type === "texts" ? event.texts.join("") : undefined;
    const last = events.at(-1);
    if (text !== undefined && last?.type === "text")
      events[events.length - 1] = { ...last, text: last.text + text };
    else events.push(text === undefined ? event : { type: "text", text });
  }
  return { ...step, events };
}

/** Usage of the model calls among the steps, which the continued run does not make again. */
export function usageOfSteps(steps: readonly JournalEntry[]): Used[] {
  return steps.flatMap((step) => (step.kind === "model" ? usageOfCall(step.events, step.role) : []));
}

function usageOfCall(events: readonly RoutedEvent[], role: string | undefined): Used[] {
  const used: Used[] = [];
  let chosen: Extract<RoutedEvent, { type: "chosen" }> | undefined;
  for (const event of events) {
    if (event.type === "chosen") chosen = event;
    const by = event.type === "spent" ? event : event.type === "end" ? chosen : undefined;
    if (by === undefined || !("usage" in event)) continue;
    const { inputTokens, outputTokens, cachedTokens, estimated } = event.usage;
    used.push({
      provider: by.provider,
      model: by.model,
      ...(role === undefined ? {} : { role }),
      inputTokens,
      outputTokens,
      cachedTokens,
      estimated,
      costMicros: by.price === undefined ? null : costMicros(event.usage, by.price),
    });
  }
  return used;
}
