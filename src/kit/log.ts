import type { Clock } from "./clock.ts";
import type { LogRing } from "./log-ring.ts";
import { redact } from "./secrets/redact.ts";
import type { SecretRegistry } from "./secrets/secret-registry.ts";
import { escapeControls } from "./text/terminal-text.ts";

export type LogLevel = "debug" | "info" | "warning" | "error";

/** Fields of one event. Values go through redaction before they reach a sink; an Error under `err` is expanded. */
export type LogFields = Record<string, unknown>;

/** Writes one structured line per event. `event` is a short constant (`run.finished`), never user text. */
export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** Returns a logger that adds `fields` to each of its events. */
  with(fields: LogFields): Logger;
}

export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  with: () => silentLogger,
};

const ranks: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warning: 2, error: 3 };

export interface LoggerOptions {
  /** Events below this level are dropped at no cost. */
  level: LogLevel;
  format: "json" | "text";
  /** Writes whole lines, synchronously if possible. */
  write: (lines: string) => void;
  secrets: SecretRegistry;
  clock: Clock;
  /** Keeps the newest lines as they are written, for the owner's pages. */
  ring?: LogRing;
}

export interface RootLogger extends Logger {
  /** Writes the buffered lines now, for example before the process ends. */
  flush(): void;
}

/**
 * Returns a logger whose lines have `level`, `time`, `event` and the fields, free of secrets. Lines are buffered for up to 20 ms; an error
 * is written at once.
 */
export function createLogger(options: LoggerOptions): RootLogger {
  const { level, format, secrets, clock, ring } = options;
  const buffer = new LineBuffer(options.write, clock);
  const lowest = ranks[level];
  const print = (eventLevel: LogLevel, record: LogFields) => {
    const head = `{"level":"${eventLevel}","time":"${clock.now().toISOString()}",`;
    // Masks the whole record again, for keys and for anything that the check of a single field missed.
    const line = escapeControls(secrets.mask(`${head}${JSON.stringify(record).slice(1)}\n`));
    ring?.keep(line);
    buffer.write(format === "json" ? line : formatLogText(line));
  };

  const loggerWith = (bound: LogFields): Logger => {
    const log = (eventLevel: LogLevel, event: string, fields: LogFields | undefined) => {
      if (ranks[eventLevel] < lowest) return;
      const record: LogFields = { event, ...bound };
      if (fields !== undefined) addSafe(record, fields, secrets);
      print(eventLevel, record);
      if (eventLevel === "error") buffer.flush();
    };
    return {
      debug: (event, fields) => log("debug", event, fields),
      info: (event, fields) => log("info", event, fields),
      warn: (event, fields) => log("warning", event, fields),
      error: (event, fields) => log("error", event, fields),
      with(fields) {
        const more = { ...bound };
        addSafe(more, fields, secrets);
        return loggerWith(more);
      },
    };
  };
  return Object.assign(loggerWith({}), { flush: () => buffer.flush() });
}

/** Adds the fields to a record, redacted. Fields with the name of a field of the logger's own get an underscore. */
function addSafe(record: LogFields, fields: LogFields, secrets: SecretRegistry): void {
  const copy = redact(fields, secrets);
  // For fields that cannot be listed, `redact` returns a text that says so.
  if (typeof copy !== "object" || copy === null) {
    record.fields = copy;
    return;
  }
  for (const name in copy) {
    const value: unknown = Reflect.get(copy, name);
    if (name === "__proto__") Object.defineProperty(record, name, { value, enumerable: true });
    else record[isOwnName(name) ? `${name}_` : name] = value;
  }
}

const isOwnName = (name: string) => name === "level" || name === "time" || name === "event";

/** Formats a log record, given as its JSON line, as readable text: `time level event name=value …` on one line. */
function formatLogText(jsonLine: string): string {
  const { time, level, event, ...fields } = JSON.parse(jsonLine) as Record<string, unknown>;
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${readable(value)}`);
  return `${time} ${String(level).padEnd(7)} ${event}${pairs.join("")}\n`;
}

/** Returns plain words unchanged. Anything else becomes JSON. */
function readable(value: unknown): string {
  if (typeof value === "string" && /^[\w.:/@+-]+$/.test(value)) return value;
  return escapeControls(JSON.stringify(value));
}

const flushAfterMs = 20;
const charsMax = 32 * 1024;

/** Collects lines and writes them together: 20 ms after the first, at 32 Ki characters, or on `flush`. */
class LineBuffer {
  readonly #write: (lines: string) => void;
  readonly #clock: Clock;
  #lines = "";
  #cancelTimer: (() => void) | undefined;

  constructor(write: (lines: string) => void, clock: Clock) {
    this.#write = write;
    this.#clock = clock;
  }

  /** Adds one line, its line feed included. */
  write(line: string): void {
    this.#lines += line;
    if (this.#lines.length >= charsMax) this.flush();
    else this.#cancelTimer ??= this.#clock.timer(flushAfterMs, () => this.flush());
  }

  /** Writes the collected lines synchronously. If the sink fails, the lines are lost and no error is thrown. */
  flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const lines = this.#lines;
    this.#lines = "";
    try {
      if (lines !== "") this.#write(lines);
    } catch {
      // There is no place left to report it.
    }
  }
}
