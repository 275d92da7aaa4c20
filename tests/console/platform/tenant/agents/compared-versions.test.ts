import { expect, test } from "bun:test";
import { comparedVersions } from "../../../../../src/console/platform/tenant/agents/compared-versions.ts";

test.each([
  [
    { from: "", to: "", current: 4 },
    { from: 3, to: 4 },
  ],
  [
    { from: "1", to: "", current: 4 },
    { from: 1, to: 4 },
  ],
  [
    { from: "", to: "2", current: 4 },
    { from: 1, to: 2 },
  ],
  [
    { from: "4", to: "1", current: 4 },
    { from: 4, to: 1 },
  ],
  [
    { from: "9", to: "0", current: 4 },
    { from: 3, to: 4 },
  ],
  [
    { from: "01", to: "x", current: 1 },
    { from: 1, to: 1 },
  ],
])("%j compares %j", (asked, compared) => {
  expect(comparedVersions(asked)).toEqual(compared);
});
