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

/** Takes one line of the log as JSON. */
export type ShowLine = (json: string) => void;

/**
 * Creates the process's logger, which masks every configured secret and writes to stderr, or calls `show` for each line unless a format is
 * configured. Call `flush` before the process ends.
 */
export function createProcessLogger(
  config: Pick<Config, "settings" | "log" | "knownSecrets">,
  show?: ShowLine,
): ProcessLogger {
  const isUsual = config.settings.every(({ key, source }) => key !== "log.format" || source === "default");
  const display = isUsual ? show : undefined;
  const ring = new LogRing();
  const log = createLogger({
    level: config.log.level,
    format: display === undefined ? config.log.format : "json",
    secrets: config.knownSecrets,
    clock: systemClock,
    write: display === undefined ? writeToStderr : (lines) => eachLine(lines, display),
    ring,
  });
  return Object.assign(log, { ring });
}

function eachLine(lines: string, show: ShowLine): void {
  for (const line of lines.split("\n")) if (line !== "") show(line);
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
