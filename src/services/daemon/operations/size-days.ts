import { readFileSync } from "node:fs";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { replaceFile } from "../../../storage/files/replace-file.ts";

const daysMax = 90;
/** Changes within one day are written this often at most. */
const writeEveryMs = 60 * 60_000;

const Days = Type.Array(
  Type.Object({
    day: Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" }),
    size_bytes: Type.Integer({ minimum: 0 }),
  }),
);
type Days = Static<typeof Days>;

/** The size of all data on each of the last 90 days on which the process ran. */
export interface SizeDays {
  /** Keeps the size as that of the instant's day, and returns all days, oldest first. */
  record(at: Date, sizeBytes: number): Days;
}

/** Keeps the days in the file at `path`. A file that can't be read begins anew, and one that can't be written is left as it is. */
export function sizeDaysIn(path: string): SizeDays {
  let days: Days | undefined;
  let written: { day: string; atMs: number } | undefined;
  return {
    record(at, sizeBytes) {
      const day = at.toISOString().slice(0, 10);
      days = [...(days ?? readDays(path)).filter((one) => one.day < day), { day, size_bytes: sizeBytes }];
      days = days.slice(-daysMax);
      if (written?.day === day && at.getTime() - written.atMs < writeEveryMs) return days;
      written = { day, atMs: at.getTime() };
      try {
        replaceFile(path, `${JSON.stringify(days)}\n`, 0o600);
      } catch {
        // A full or read-only disk must not hide how full it is.
      }
      return days;
    },
  };
}

function readDays(path: string): Days {
  try {
    const read: unknown = JSON.parse(readFileSync(path, "utf8"));
    return Value.Check(Days, read) ? read : [];
  } catch {
    return [];
  }
}
