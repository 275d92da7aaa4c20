import type { A2aTask, A2aUpdate } from "../../../contracts/daemon/a2a.ts";
import { AppError } from "../../../kit/app-error.ts";
import { isFinal, type KeptTask } from "./task-store.ts";

/** Updates that wait for one reader. A reader that falls further behind loses its stream, and the task goes on. */
const waitingMax = 1_000;

/** Passes on the updates of a task as they are read, and sends each to the readers that subscribed to the task. */
export async function* announced(
  kept: KeptTask,
  updates: AsyncIterable<A2aUpdate>,
): AsyncGenerator<A2aUpdate, void> {
  try {
    for await (const update of updates) {
      for (const watcher of kept.watchers) watcher.take(update);
      yield update;
    }
  } finally {
    for (const watcher of kept.watchers) watcher.end();
  }
}

/**
 * Yields the task as it is, then its updates from now on, up to the final status. Pieces of the answer that were sent before are not
 * repeated: the last artifact has the whole answer. Leaving does not cancel the task.
 */
export async function* watchTask(kept: KeptTask, gone: AbortSignal): AsyncGenerator<A2aTask | A2aUpdate> {
  const { task, watchers } = kept;
  const waiting: A2aUpdate[] = [];
  let isOver = isFinal(task.status.state);
  let wake = () => {};
  const watcher = {
    take(update: A2aUpdate) {
      waiting.push(update);
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
  };
  watchers.add(watcher);
  const leave = () => wake();
  gone.addEventListener("abort", leave, { once: true });
  try {
    let isFinalSent = isOver;
    yield structuredClone(task);
    while (!gone.aborted) {
      if (waiting.length > waitingMax) throw tooSlow();
      const update = waiting.shift();
      if (update !== undefined) {
        isFinalSent ||= update.kind === "status-update" && update.final;
        yield update;
      } else if (isOver) {
        // A canceled task ends without an update of its own.
        if (!isFinalSent) yield finalStatus(task);
        return;
      } else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    gone.removeEventListener("abort", leave);
    watchers.delete(watcher);
  }
}

const finalStatus = ({ id, contextId, status }: A2aTask): A2aUpdate => ({
  kind: "status-update",
  taskId: id,
  contextId,
  status,
  final: true,
});

const tooSlow = () =>
  new AppError("unavailable", "reader_too_slow", `More than ${waitingMax} updates were not read.`, {
    details: { hint: "Call tasks/resubscribe again, or ask with tasks/get." },
  });
