import { toAppError } from "../../../kit/app-error.ts";
import { type Clock, sleep } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Worker } from "../../../kit/worker.ts";

const lookEveryMs = 1000;

/** What takes the manifests of a folder that were added, changed or removed. */
interface Watched {
  /** `agent`: names the worker, and in the plural its log lines. */
  what: string;
  look(): Promise<void>;
}

/** Looks at a folder of manifests once a second, which misses nothing on any file system. */
export function manifestWatcher({ what, look }: Watched, clock: Clock, log: Logger): Worker {
  return {
    name: `${what}-watcher`,
    async run(signal) {
      let trouble: string | undefined;
      while (!signal.aborted) {
        await sleep(clock, lookEveryMs, signal).catch(() => undefined);
        if (signal.aborted) return;
        try {
          await look();
          trouble = undefined;
        } catch (thrown) {
          // What was loaded goes on as it is; the same trouble is told once.
          const { message, code } = toAppError(thrown);
          if (trouble !== message) log.error(`${what}s.look_failed`, { code, err: thrown });
          trouble = message;
        }
      }
    },
  };
}
