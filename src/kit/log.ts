import { pino } from "pino";
import type { Clock } from "./clock.ts";
import { LineBuffer } from "./line-buffer.ts";
import { formatLogText } from "./log-text.ts";
import { redact } from "./redact.ts";
import type { SecretRegistry } from "./secret-registry.ts";

export type LogLevel = "debug" | "info" | "warning" | "error";

/** Fields of one event. Values go through redaction before they reach a sink; an Error under `err` is expanded. */
export type LogFields = Record<string, unknown>;

/** Writes one structured line per event. `event` is a short constant (`run.finished`), never user text. */
export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** A logger that adds `fields` to each of its events. */
  with(fields: LogFields): Logger;
}

export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  with: () => silentLogger,
};

export interface LoggerOptions {
  /** Events below this level cost nothing and are dropped. */
  level: LogLevel;
  format: "json" | "text";
  /** Takes whole lines and should have written them when it returns. */
  write: (lines: string) => void;
  secrets: SecretRegistry;
  clock: Clock;
}

export interface RootLogger extends Logger {
  /** Writes what is buffered now: before the process ends. */
  flush(): void;
}

/**
 * A logger whose lines hold `level`, `time`, `event` and the fields, free of secrets. Lines are buffered for up to 20 ms;
 * an error is written at once.
 */
export function createLogger(options: LoggerOptions): RootLogger {
  const { level, format, secrets, clock } = options;
  const buffer = new LineBuffer(options.write, clock);
  const sink = pino(
    {
      level,
      base: null,
      customLevels: { debug: 20, info: 30, warning: 40, error: 50 },
      useOnlyCustomLevels: true,
      // The record is complete and redacted: nothing is to be expanded in it or added to it.
      serializers: { err: (err: unknown) => err },
      errorKey: "",
      formatters: { level: (label) => ({ level: label }) },
      timestamp: () => `,"time":"${clock.now().toISOString()}"`,
    },
    {
      write(line: string) {
        // Once more over the whole record: keys, and whatever a field's own check didn't see.
        const masked = secrets.mask(line);
        buffer.write(format === "json" ? masked : formatLogText(masked));
      },
    },
  );

  const loggerWith = (bound: LogFields): Logger => {
    const log = (eventLevel: LogLevel, event: string, fields: LogFields | undefined) => {
      if (!sink.isLevelEnabled(eventLevel)) return;
      sink[eventLevel]({ event, ...bound, ...safe(fields) });
      if (eventLevel === "error") buffer.flush();
    };
    return {
      debug: (event, fields) => log("debug", event, fields),
      info: (event, fields) => log("info", event, fields),
      warn: (event, fields) => log("warning", event, fields),
      error: (event, fields) => log("error", event, fields),
      with: (fields) => loggerWith({ ...bound, ...safe(fields) }),
    };
  };
  const safe = (fields: LogFields | undefined) =>
    fields === undefined ? undefined : safeFields(fields, secrets);
  return Object.assign(loggerWith({}), { flush: () => buffer.flush() });
}

/** Redacted fields; one that has the name of the logger's own gets an underscore. */
function safeFields(fields: LogFields, secrets: SecretRegistry): LogFields {
  const redacted = redact(fields, secrets);
  // Fields that can't even be listed come back as a text that says so.
  const copy = typeof redacted === "string" ? { fields: redacted } : (redacted as LogFields);
  for (const name of ["level", "time", "event"]) {
    if (!(name in copy)) continue;
    copy[`${name}_`] = copy[name];
    delete copy[name];
  }
  return copy;
}
