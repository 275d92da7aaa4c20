import { toAppError } from "../../../kit/app-error.ts";
import { type Clock, sleep } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import { roundMaxMs, type Worker } from "../../../kit/worker.ts";

const lookEveryMs = 1000;

/** Library that takes added, changed and removed manifests of a folder, or providers of a shared database. */
interface Watched {
  /** For example `agent`; names the worker and, in the plural, its log lines. */
  what: string;
  look(): Promise<void>;
}

/** Looks for changes once a second, which works on every file system and database. */
export function manifestWatcher({ what, look }: Watched, clock: Clock, log: Logger): Worker {
  return {
    name: `${what}-watcher`,
    silenceMaxMs: roundMaxMs,
    async run(signal, beat) {
      let trouble: string | undefined;
      while (!signal.aborted) {
        await sleep(clock, lookEveryMs, signal).catch(() => undefined);
        if (signal.aborted) return;
        try {
          await look();
          trouble = undefined;
        } catch (thrown) {
          // Loaded manifests keep serving. The same error is logged once.
          const { message, code } = toAppError(thrown);
          if (trouble !== message) log.error(`${what}s.look_failed`, { code, err: thrown });
          trouble = message;
        }
        beat?.();
      }
    },
  };
}
