import type { LogLine } from "../../contracts/daemon/operations.ts";
import { type Inline, paint } from "./paint.ts";

const colors = { debug: "dim", info: "green", warning: "yellow", error: "red" } as const;

/** A line of the log for a person. */
export function logLine({ time, level, event, fields }: Omit<LogLine, "number">): Inline[] {
  const fieldsText = Object.keys(fields).length === 0 ? "" : ` ${JSON.stringify(fields)}`;
  return [paint("dim", time), " ", paint(colors[level], level), ` ${event}${fieldsText}`];
}
