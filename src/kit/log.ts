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
