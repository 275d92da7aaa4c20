import { expect, test } from "bun:test";
import { readNumber } from "../../../../src/console/parts/inputs/number-entry.ts";
import {
  emptyPlan,
  isCompletePlan,
  parseSpec,
  planExample,
  planLike,
  planOf,
} from "../../../../src/console/platform/operator/plans/plan-form.ts";
import type { Plan } from "../../../../src/contracts/platform/billing/plans.ts";

test.each([
  ["", false],
  ["[]", false],
  ["{}", false],
  ['{"unidades": 5, "features": {}}', false],
  ['{"unidades": {"shop.orders": null}, "features": {}}', false],
  ['{"unidades": {"shop.orders": {"incluidas": 1}}, "features": {}}', false],
  ['{"unidades": {"shop.orders": {"incluidas": 1, "excedente_micros": 0.5}}, "features": {}}', false],
  ['{"unidades": {"shop.orders": {"incluidas": 1, "excedente_micros": 50000}}, "features": {}}', true],
])("units and features %p can be reviewed: %p", (text, isReadable) => {
  expect(parseSpec(text) !== undefined).toBe(isReadable);
  expect(isCompletePlan({ ...emptyPlan, spec: text })).toBe(isReadable);
});

test("a plan with an empty price or one that can't be read is not complete, and is never sent as 0", () => {
  for (const text of ["", "1,25", "1e5"]) {
    const form = { ...emptyPlan, min_fee_micros: readNumber(text, { decimals: 6, scale: 6, min: 0 }) };
    expect(isCompletePlan(form)).toBe(false);
    expect(() => planOf(form)).toThrow();
  }
});

test("the examples of a base plan and of a subscription's plan are worked out in full", () => {
  const spec = '{"unidades": {"shop.orders": {"incluidas": 1, "excedente_micros": 50000}}, "features": {}}';
  const prices = {
    min_fee_micros: 29_900_000,
    activation_price_micros: 5_000_000,
    included_credits_micros: 2_000_000,
    extra_credit_price_micros: 12_075,
  };
  expect(planExample(planOf({ ...emptyPlan, ...prices, argo_code: "shop", spec }))).toEqual([
    "Each subscription includes 2 credits, 1 shop.orders per month, in full even in a month of which it has only a part. What is left at the end of a month expires.",
    "A first month of 15 of 30 days, within what is included. Fee: 15 ÷ 30 × $29.90 = $14.95",
    "Activation, once in a subscription's life: $5.00",
    "Total of the first month: $19.95",
    "A whole month with more than is included. Fee: 1 × $29.90 = $29.90",
    "Extra credits, with 12 credits used: 10 × $0.012075 = $0.12075",
    "shop.orders, 10 more than included: 10 × $0.05 = $0.50",
    "Total of the whole month: $30.52075",
  ]);
  expect(planExample(planOf({ ...emptyPlan, ...prices })).slice(0, 3)).toEqual([
    "Each tenant with this plan has 2 credits included per month, for all agents without a subscription. What is left at the end of a month expires.",
    "A first month of 15 of 30 days, within what is included. Fee: 15 ÷ 30 × $29.90 = $14.95",
    "Total of the first month: $14.95",
  ]);
});

test("a new plan from another one has all of it but the id", () => {
  const units = { "shop.orders": { incluidas: 1, excedente_micros: 50_000 } };
  for (const change of [{}, { argo_code: "shop", spec: JSON.stringify({ unidades: units, features: {} }) }]) {
    const form = { ...emptyPlan, name: "Pro", min_fee_micros: 29_900_000, max_rpm: 60, ...change };
    const { argo_code = null, spec, ...plan } = planOf(form);
    const stored = { ...plan, argo_code, spec: spec ?? { unidades: {}, features: {} }, created_at: "" };
    expect(planOf(planLike({ ...stored, id: "pro" } as Plan))).toEqual(planOf(form));
  }
});
