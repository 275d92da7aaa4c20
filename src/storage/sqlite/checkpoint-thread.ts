import type { Logger } from "../../kit/log.ts";
import type { CheckpointAnswer, CheckpointOrder } from "./checkpoint-worker.ts";

/** Bun's worker type: `unref` lets the process end while the worker is idle. */
type KeptWorker = Worker & { ref(): void; unref(): void };

/** Moves the write-ahead logs of SQLite files into the files, outside the event loop. */
export interface CheckpointThread {
  /** Moves what the file's log has now. Resolves when that is done or has failed; the log only grows then. */
  move(file: string): Promise<void>;
  /** Resolves when the thread has let go of the file. */
  release(file: string): Promise<void>;
  /** Ends the thread. */
  close(): void;
}

/** Creates the thread, whose worker starts with the first order. One worker serves all files, in turn. */
export function createCheckpointThread(log: Logger): CheckpointThread {
  const waiting = new Map<string, () => void>();
  let worker: KeptWorker | undefined;

  function start(): KeptWorker {
    const started = new Worker(new URL("./checkpoint-worker.ts", import.meta.url)) as KeptWorker;
    started.onmessage = ({ data: { file, fault } }: MessageEvent<CheckpointAnswer>) => {
      if (fault !== undefined) log.warn("storage.checkpoint_failed", { file, err: fault });
      const done = waiting.get(file);
      waiting.delete(file);
      if (waiting.size === 0) started.unref();
      done?.();
    };
    started.onerror = ({ message }) => {
      if (worker !== started) return;
      log.warn("storage.checkpoint_failed", { err: message });
      end();
    };
    return started;
  }

  function order(file: string, wish: CheckpointOrder["wish"]): Promise<void> {
    worker ??= start();
    worker.ref();
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.set(file, resolve);
    worker.postMessage({ file, wish } satisfies CheckpointOrder);
    return promise;
  }

  function end(): void {
    worker?.terminate();
    worker = undefined;
    for (const done of waiting.values()) done();
    waiting.clear();
  }

  return {
    move: (file) => order(file, "move"),
    release: async (file) => {
      if (worker !== undefined) await order(file, "release");
    },
    close: end,
  };
}
