import { type LogFields, type Logger, silentLogger } from "../../src/kit/log.ts";

export interface LoggedEvent {
  level: string;
  event: string;
  fields: LogFields | undefined;
}

/** A log that keeps its events. */
export function recordingLogger(): { log: Logger; logged: LoggedEvent[] } {
  const logged: LoggedEvent[] = [];
  const at = (level: string) => (event: string, fields?: LogFields) =>
    void logged.push({ level, event, fields });
  const log = { ...silentLogger, debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  return { log, logged };
}
