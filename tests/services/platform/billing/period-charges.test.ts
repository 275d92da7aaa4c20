import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { daysIn, endOfMonth, monthAfter, monthOf } from "../../../../src/kit/utc-calendar.ts";
import { type PeriodFacts, periodCharges } from "../../../../src/services/platform/billing/period-charges.ts";
import { defaultPlan } from "../../../../src/services/platform/plans/default-plan.ts";
import type { PlanRow } from "../../../../src/services/platform/plans/schema.ts";

const plan = (change: Partial<PlanRow> = {}): PlanRow => ({
  ...defaultPlan,
  createdAt: new Date(0),
  name: "Pro",
  minFeeMicros: 31_000_000,
  activationPriceMicros: 5_000_000,
  includedCreditsMicros: 10_000_000,
  extraCreditPriceMicros: 2_000_000,
  spec: { unidades: { "erp.docs": { incluidas: 100, excedente_micros: 50_000 } }, features: {} },
  ...change,
});

const facts = (change: Partial<PeriodFacts> = {}): PeriodFacts => ({
  month: "2026-03",
  spans: [{ plan: plan(), days: 31 }],
  activated: undefined,
  usage: [{ plan: plan(), units: new Map() }],
  credits: [{ plan: plan(), usedMicros: 0, grantedMicros: 0 }],
  grants: [],
  adjustments: [],
  ...change,
});

const linesOf = (change: Partial<PeriodFacts>) =>
  periodCharges(facts(change)).charges.map(({ type, quantity, amountMicros }) => [
    type,
    quantity,
    amountMicros,
  ]);

describe("what a period costs", () => {
  const noUnits = ["excedente_unidad", 0, 0];
  test.each<[string, Partial<PeriodFacts>, unknown[]]>([
    ["a whole month", {}, [["cuota", 31, 31_000_000], noUnits]],
    ["a part of one", { spans: [{ plan: plan(), days: 17 }] }, [["cuota", 17, 17_000_000], noUnits]],
    ["one day", { spans: [{ plan: plan({ minFeeMicros: 100 }), days: 1 }] }, [["cuota", 1, 3], noUnits]],
    [
      "a leap February",
      {
        month: "2028-02",
        spans: [{ plan: plan({ minFeeMicros: 29 }), days: 1 }],
      },
      [["cuota", 1, 1], noUnits],
    ],
    [
      "an activation",
      { activated: plan() },
      [["cuota", 31, 31_000_000], ["activacion", 1, 5_000_000], noUnits],
    ],
    [
      "units within what is included",
      { usage: [{ plan: plan(), units: new Map([["erp.docs", 100]]) }] },
      [["cuota", 31, 31_000_000], noUnits],
    ],
    [
      "units over it, and units the plan does not know",
      {
        usage: [
          {
            plan: plan(),
            units: new Map([
              ["erp.docs", 103],
              ["erp.other", 7],
            ]),
          },
        ],
      },
      [
        ["cuota", 31, 31_000_000],
        ["excedente_unidad", 3, 150_000],
      ],
    ],
    [
      "credits over those included",
      { credits: [{ plan: plan(), usedMicros: 10_000_001, grantedMicros: 0 }] },
      [["cuota", 31, 31_000_000], noUnits, ["creditos_extra", 1, 2]],
    ],
    [
      "a base plan that changed: each has its own days and its own credits",
      {
        spans: [
          { plan: plan({ minFeeMicros: 31 }), days: 10 },
          { plan: plan({ minFeeMicros: 62 }), days: 21 },
        ],
        usage: [],
        credits: [
          { plan: plan({ includedCreditsMicros: 100 }), usedMicros: 1_000_100, grantedMicros: 0 },
          { plan: plan({ includedCreditsMicros: 5_000_000 }), usedMicros: 5_000_000, grantedMicros: 0 },
        ],
      },
      [
        ["cuota", 10, 10],
        ["cuota", 21, 42],
        ["creditos_extra", 1_000_000, 2_000_000],
      ],
    ],
    [
      "nothing",
      {
        spans: [{ plan: plan({ minFeeMicros: 0 }), days: 31 }],
        usage: [],
      },
      [],
    ],
    ["no plan at all", { spans: [], usage: [], credits: [] }, []],
  ])("%s", (_, change, expected) => {
    expect(linesOf(change)).toEqual(expected as never);
  });

  test("the total is the sum of its lines, for any charges", () => {
    const micros = fc.nat(1_000_000_000);
    fc.assert(
      fc.property(micros, micros, micros, fc.integer({ min: 1, max: 31 }), (fee, price, used, days) => {
        const spans = [{ plan: plan({ minFeeMicros: fee, extraCreditPriceMicros: price }), days }];
        const bill = periodCharges(
          facts({
            spans,
            credits: [{ plan: plan({ extraCreditPriceMicros: price }), usedMicros: used, grantedMicros: 0 }],
            activated: plan(),
          }),
        );
        expect(bill.totalMicros).toBe(bill.charges.reduce((sum, { amountMicros }) => sum + amountMicros, 0));
        expect(bill.charges.every(({ amountMicros }) => Number.isSafeInteger(amountMicros))).toBe(true);
      }),
    );
  });
});

test("an amount that no number holds exactly is refused, not rounded", () => {
  const dear = plan({ extraCreditPriceMicros: 1_000_000_000_000 });
  const bill = () =>
    periodCharges(facts({ credits: [{ plan: dear, usedMicros: 1_000_000_000_000_000, grantedMicros: 0 }] }));
  expect(bill).toThrow("is not an integer");
});

describe("the calendar", () => {
  test.each([
    ["2026-02", 28],
    ["2028-02", 29],
    ["2100-02", 28],
    ["2026-04", 30],
    ["2026-12", 31],
  ])("%s has %i days", (month, days) => {
    expect(daysIn(month)).toBe(days);
    expect(monthOf(endOfMonth(month))).toBe(monthAfter(month));
  });

  test("January follows December", () => {
    expect(monthAfter("2026-12")).toBe("2027-01");
  });
});
