import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { untilAborted } from "../../../kit/concurrency/until-aborted.ts";
import type { HashAnswer, HashOrder } from "./hash-worker.ts";

/** Time after which an idle worker is ended. */
const idleMs = 30_000;

/** Bun's worker type: `unref` lets the process end while the worker is idle. */
type KeptWorker = Worker & { ref(): void; unref(): void };

/** Hashes texts outside the event loop. */
export interface HashThread {
  /** Returns the vectors of the texts, concatenated. Throws AppError `embedder_failed` if the worker dies, or the signal's reason. */
  hash(texts: readonly string[], dimension: number, signal: AbortSignal): Promise<Float32Array>;
  /** Ends the worker; pending batches are rejected. */
  close(): void;
}

/** Creates a thread with one worker, which starts with the first batch and ends after `idleMs` without work. */
export function createHashThread(clock: Clock): HashThread {
  const waiting = new Map<number, PromiseWithResolvers<Float32Array>>();
  let worker: KeptWorker | undefined;
  let cancelEnd = () => {};
  let lastId = 0;

  function start(): KeptWorker {
    const started = new Worker(new URL("./hash-worker.ts", import.meta.url)) as KeptWorker;
    started.onmessage = ({ data }: MessageEvent<HashAnswer>) => {
      const answer = waiting.get(data.id);
      waiting.delete(data.id);
      if ("vectors" in data) answer?.resolve(data.vectors);
      else answer?.reject(died(data.fault));
      if (waiting.size > 0) return;
      started.unref();
      cancelEnd = clock.timer(idleMs, end);
    };
    started.onerror = ({ message }) => {
      if (worker === started) fail(died(message));
    };
    return started;
  }

  function end(): void {
    cancelEnd();
    worker?.terminate();
    worker = undefined;
  }

  function fail(fault: AppError): void {
    end();
    for (const { reject } of waiting.values()) reject(fault);
    waiting.clear();
  }

  return {
    async hash(texts, dimension, signal) {
      signal.throwIfAborted();
      cancelEnd();
      worker ??= start();
      worker.ref();
      const id = ++lastId;
      const answer = Promise.withResolvers<Float32Array>();
      answer.promise.catch(() => undefined);
      waiting.set(id, answer);
      worker.postMessage({ id, dimension, texts } satisfies HashOrder);
      return untilAborted(signal, () => answer.promise);
    },
    close: () => fail(died("it was closed")),
  };
}

function died(cause: string): AppError {
  return new AppError("upstream_failed", "embedder_failed", "local_hash stopped in the middle of its work.", {
    cause: new Error(cause),
  });
}
