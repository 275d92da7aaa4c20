import { expect, test } from "bun:test";
import { nextInstant, offsetIn } from "../../../../src/kit/cron/next-instant.ts";
import { parseCron } from "../../../../src/kit/cron/parse-cron.ts";
import { dueFires, localTime } from "../../../../src/services/daemon/triggers/due-fires.ts";

function schedule(cron: string, timeZone = "UTC") {
  const pattern = parseCron(cron);
  const offsetAt = offsetIn(timeZone);
  if ("fault" in pattern || offsetAt === undefined) throw new Error(cron);
  return { pattern, offsetAt };
}

const at = (text: string) => Date.parse(text);
const shown = (times: readonly number[]) => times.map((time) => new Date(time).toISOString().slice(11, 16));

test.each([
  ["skip", []],
  ["latest", ["11:00"]],
  ["all", ["09:00", "10:00", "11:00"]],
] as const)("after three hours without a server, %s makes up for %j", (missed, expected) => {
  const due = dueFires(schedule("0 * * * *"), missed, at("2026-01-01T08:30Z"), at("2026-01-01T11:30Z"));
  expect(shown(due)).toEqual([...expected]);
});

test.each(["skip", "latest", "all"] as const)(
  "a fire that is on time is none that was missed: %s",
  (missed) => {
    const due = dueFires(
      schedule("0 9 * * *"),
      missed,
      at("2026-01-01T08:59:59Z"),
      at("2026-01-01T09:00:01Z"),
    );
    expect(shown(due)).toEqual(["09:00"]);
  },
);

test("after a year of missed minutes, the last 100 are made up for, within bounded work", () => {
  const every = schedule("* * * * *");
  let looks = 0;
  const offsetAt = (ms: number) => {
    looks++;
    return every.offsetAt(ms);
  };
  const counted = { ...every, offsetAt };
  const due = dueFires(counted, "all", at("2025-01-01T00:00Z"), at("2026-01-01T00:00Z"));
  expect(due).toHaveLength(100);
  expect(due.at(-1)).toBe(at("2026-01-01T00:00Z"));
  expect(looks).toBeLessThan(10_000);
});

test("a fire once in eight years is made up for", () => {
  const due = dueFires(schedule("0 0 29 2 *"), "all", at("2096-01-01T00:00Z"), at("2104-03-01T00:00Z"));
  expect(due).toEqual([at("2096-02-29T00:00Z"), at("2104-02-29T00:00Z")]);
});

test("the local time of a fire is that of its zone", () => {
  const madrid = schedule("0 9 * * *", "Europe/Madrid");
  const first = nextInstant(madrid.pattern, madrid.offsetAt, at("2026-07-01T00:00Z")) ?? 0;
  expect(localTime(madrid, first)).toBe("2026-07-01T09:00");
});
