import { expect, test } from "bun:test";
import { creditShares } from "../../../../../src/console/platform/tenant/usage/credit-meter.tsx";

const uncharged = { percent: 0, resets_at: "2026-04-01T00:00:00.000Z" };

test.each([
  [[0, 0, null], { charged: 0, held: 0, tone: "calm" }],
  [[9, 9, null], { charged: 0, held: 0, tone: "calm" }],
  [[1, 1, 10], { charged: 0.1, held: 0.1, tone: "calm" }],
  [[8, 5, 10], { charged: 0.8, held: 0.2, tone: "near" }],
  [[10, 0, 10], { charged: 1, held: 0, tone: "full" }],
  [[12, 3, 10], { charged: 1, held: 0, tone: "full" }],
  [[0, 0, 0], { charged: 1, held: 0, tone: "full" }],
] as const)("charged, held and cap of %j are %j", ([charged_micros, held_micros, cap_micros], expected) => {
  const none = { granted_micros: 0, grants_left_micros: 0 };
  const { charged, held, tone } = creditShares({
    charged_micros,
    held_micros,
    cap_micros,
    uncharged,
    ...none,
  });
  expect({ charged, held: Number(held.toFixed(6)), tone }).toEqual(expected);
});

test("grants count as credits besides the cap", () => {
  const month = { charged_micros: 8, held_micros: 0, cap_micros: 5, uncharged };
  expect(creditShares({ ...month, granted_micros: 3, grants_left_micros: 8 })).toMatchObject({
    charged: 0.5,
    tone: "calm",
  });
});
