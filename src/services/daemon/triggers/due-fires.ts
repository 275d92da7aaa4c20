import type { Trigger } from "../../../engine/triggers/compile-triggers.ts";
import { nextInstant } from "../../../kit/cron/next-instant.ts";

export type Schedule = NonNullable<Trigger["schedule"]>;
export type MissedPolicy = "skip" | "latest" | "all";

const minuteMs = 60_000;
/** A fire that is later than this was missed. */
const lateMs = minuteMs;
/** Missed fires that are made up for. */
const madeUpMax = 100;
/** How far back missed fires are looked for, the shortest first: an expression may fire each minute, or once in eight years. */
const lookBackMs = [60 * minuteMs, 1_440 * minuteMs, 35 * 1_440 * minuteMs, 10 * 366 * 1_440 * minuteMs];

/** Returns the times after `fromMs` and up to `nowMs` at which a schedule fires now, in order. */
export function dueFires(schedule: Schedule, missed: MissedPolicy, fromMs: number, nowMs: number): number[] {
  const due = newestDue(schedule, fromMs, nowMs);
  if (missed === "all") return due.slice(-madeUpMax);
  if (missed === "latest") return due.slice(-1);
  return due.filter((at) => nowMs - at <= lateMs);
}

/** Returns the newest due times, at least `madeUpMax` if there are so many. The work has a bound, however long no server ran. */
function newestDue({ pattern, offsetAt }: Schedule, fromMs: number, nowMs: number): number[] {
  let due: number[] = [];
  for (const backMs of lookBackMs) {
    const sinceMs = Math.max(fromMs, nowMs - backMs);
    due = [];
    for (let at = nextInstant(pattern, offsetAt, sinceMs); at !== undefined && at <= nowMs; ) {
      due.push(at);
      at = nextInstant(pattern, offsetAt, at);
    }
    if (sinceMs === fromMs || due.length >= madeUpMax) break;
  }
  return due;
}

/** The wall clock's time at an instant, such as `2026-03-29T09:00`. */
export const localTime = ({ offsetAt }: Schedule, atMs: number): string =>
  new Date(atMs + offsetAt(atMs)).toISOString().slice(0, "2026-03-29T09:00".length);
