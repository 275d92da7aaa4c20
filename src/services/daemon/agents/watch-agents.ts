import { toAppError } from "../../../kit/app-error.ts";
import { type Clock, sleep } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Worker } from "../../../kit/worker.ts";
import type { AgentLibrary } from "./agent-library.ts";

const lookEveryMs = 1000;

/** Takes agent files that were added, changed or removed. Looking once a second misses nothing on any file system. */
export function agentWatcher(library: AgentLibrary, clock: Clock, log: Logger): Worker {
  return {
    name: "agent-watcher",
    async run(signal) {
      let trouble: string | undefined;
      while (!signal.aborted) {
        await sleep(clock, lookEveryMs, signal).catch(() => undefined);
        if (signal.aborted) return;
        try {
          await library.look();
          trouble = undefined;
        } catch (thrown) {
          // The agents go on as they are; the same trouble is told once.
          const { message, code } = toAppError(thrown);
          if (trouble !== message) log.error("agents.look_failed", { code, err: thrown });
          trouble = message;
        }
      }
    },
  };
}
