import { sleep } from "../../../kit/clock.ts";
import type { Worker } from "../../../kit/worker.ts";
import type { PlatformDeps } from "../deps.ts";

const everyMs = 60_000;

/** Worker that writes the last uses of keys once a minute, and once more at the end. */
export function keyUseWriter({
  storage,
  clock,
  keyUses,
}: Pick<PlatformDeps, "storage" | "clock" | "keyUses">): Worker {
  return {
    name: "key-uses",
    async run(signal) {
      while (!signal.aborted) {
        await sleep(clock, everyMs, signal).catch(() => undefined);
        await keyUses.write(storage);
      }
    },
  };
}
