import type { A2aState, A2aTask, A2aUpdate } from "../../../contracts/daemon/a2a.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { PushConfig } from "./push-notifications.ts";

/** A task with the means to cancel it. */
export interface KeptTask {
  agent: string;
  task: A2aTask;
  cancel: AbortController;
  /** True once its run went on after an answer: such a run goes on to its end. */
  isAnswered: boolean;
  /** Readers that subscribed to the task. */
  watchers: Set<TaskWatcher>;
  /** Push notifications by the ids of their configurations. */
  pushes: Map<string, { push: PushConfig; watcher: TaskWatcher }>;
}

/** A reader of the updates of a task. */
export interface TaskWatcher {
  take(update: A2aUpdate): void;
  /** No update follows. */
  end(): void;
}

interface Entry extends KeptTask {
  keptAtMs: number;
  /** Characters of the task, counted once when it has ended. */
  characters?: number;
}

const tasksMax = 1_000;
const charactersMax = 32 * 1024 * 1024;
/** How long an ended task can be asked for. */
const keptMs = 3_600_000;

export const isFinal = (state: A2aState): boolean => state !== "submitted" && state !== "working";

/**
 * The tasks of this process, for `tasks/get` and `tasks/cancel`. Ended tasks stay for an hour, at most 1,000 tasks with 32 Mi characters;
 * then the oldest ended ones are forgotten. A restart forgets all, as it ends their runs.
 */
export class TaskStore {
  readonly #clock: Clock;
  readonly #tasks = new Map<string, Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(kept: KeptTask): void {
    this.#forget();
    if (this.#tasks.size >= tasksMax)
      throw new AppError("rate_limited", "too_busy", `${tasksMax} tasks are running.`, {
        details: { hint: "Try again when one of them has ended.", retryAfterSeconds: 5 },
      });
    this.#tasks.set(kept.task.id, { ...kept, keptAtMs: this.#clock.monotonicMs() });
  }

  /** Returns a task of an agent. Another agent's task does not exist for it. */
  get(agent: string, id: string): KeptTask {
    this.#forget();
    const found = this.#tasks.get(id);
    if (found?.agent === agent) return found;
    throw new AppError(
      "not_found",
      "task_not_found",
      `There is no task ${JSON.stringify(id.slice(0, 100))}.`,
      {
        details: { hint: "Ended tasks can be asked for during one hour, until the server restarts." },
      },
    );
  }

  /** The tasks of an agent, the newest first. */
  list(agent: string): A2aTask[] {
    this.#forget();
    return [...this.#tasks.values()]
      .filter((kept) => kept.agent === agent)
      .map(({ task }) => task)
      .reverse();
  }

  #forget(): void {
    const nowMs = this.#clock.monotonicMs();
    let characters = 0;
    for (const entry of this.#tasks.values()) {
      if (entry.characters === undefined && isFinal(entry.task.status.state))
        entry.characters = sizeOf(entry.task);
      characters += entry.characters ?? 0;
    }
    // In order of their beginning.
    for (const [id, { characters: own, keptAtMs }] of this.#tasks) {
      if (own === undefined) continue;
      const isFull = this.#tasks.size >= tasksMax || characters > charactersMax;
      if (!isFull && nowMs - keptAtMs < keptMs) continue;
      characters -= own;
      this.#tasks.delete(id);
    }
  }
}

function sizeOf({ artifacts = [], history = [] }: A2aTask): number {
  const parts = [...artifacts.flatMap((each) => each.parts), ...history.flatMap((each) => each.parts)];
  return parts.reduce((sum, part) => sum + (part.kind === "text" ? part.text.length : 1_000), 0);
}

/** The task with its last messages only. */
export function withHistory(task: A2aTask, length: number | undefined): A2aTask {
  if (length === undefined || task.history === undefined) return task;
  return { ...task, history: length === 0 ? [] : task.history.slice(-length) };
}
