import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sizeDaysIn } from "../../../../src/services/daemon/operations/size-days.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const at = (day: number, hour = 0) => new Date(Date.UTC(2026, 0, day, hour));

test("each day has its last size, also after a restart", () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "days.json");
  const first = sizeDaysIn(file);
  first.record(at(1), 10);
  expect(first.record(at(1, 2), 20)).toEqual([{ day: "2026-01-01", size_bytes: 20 }]);
  expect(sizeDaysIn(file).record(at(3), 5)).toEqual([
    { day: "2026-01-01", size_bytes: 20 },
    { day: "2026-01-03", size_bytes: 5 },
  ]);
});

test("the newest 90 days are kept, and a file is written once an hour at most", () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "days.json");
  const days = sizeDaysIn(file);
  for (let day = 1; day <= 100; day++) days.record(at(day), day);
  const kept = days.record(at(100, 0.5), 7);
  expect([kept.length, kept[0]?.size_bytes, kept.at(-1)?.size_bytes]).toEqual([90, 11, 7]);
  expect(JSON.parse(readFileSync(file, "utf8")).at(-1)).toEqual({ day: "2026-04-10", size_bytes: 100 });
});

test("a damaged file begins anew, and a place that can't be written still has the days", () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "days.json");
  for (const text of ["{", '[{"day":"today","size_bytes":1}]', "null"]) {
    writeFileSync(file, text);
    expect(sizeDaysIn(file).record(at(1), 1)).toHaveLength(1);
  }
  const nowhere = sizeDaysIn(join(folder.path, "missing/days.json"));
  nowhere.record(at(1), 1);
  expect(nowhere.record(at(2), 2)).toHaveLength(2);
});
