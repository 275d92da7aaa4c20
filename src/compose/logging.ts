import { writeSync } from "node:fs";
import { systemClock } from "../kit/clock.ts";
import { createLogger, type RootLogger } from "../kit/log.ts";
import { LogRing } from "../kit/log-ring.ts";
import type { Config } from "./settings/config.ts";

const stderr = 2;

/** The process's logger with the newest of its lines. */
export interface ProcessLogger extends RootLogger {
  readonly ring: LogRing;
}

/** Creates the process's logger, which writes to stderr and masks every configured secret. Call `flush` before the process ends. */
export function createProcessLogger(config: Config): ProcessLogger {
  const ring = new LogRing();
  const log = createLogger({
    level: config.log.level,
    format: config.log.format,
    secrets: config.knownSecrets,
    clock: systemClock,
    write: writeToStderr,
    ring,
  });
  return Object.assign(log, { ring });
}

/** Writes all of `text`. Waits if the pipe is full; gives up if it is closed. */
function writeToStderr(text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(stderr, bytes, written);
    } catch (thrown) {
      if ((thrown as { code?: unknown }).code !== "EAGAIN") return;
    }
  }
}
