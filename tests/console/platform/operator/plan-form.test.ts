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

test("the example is worked out in full", () => {
  const spec = '{"unidades": {"shop.orders": {"incluidas": 1, "excedente_micros": 50000}}, "features": {}}';
  const form = { ...emptyPlan, min_fee_micros: 29_900_000, extra_credit_price_micros: 12_075, spec };
  expect(planExample(planOf(form))).toEqual([
    "Monthly fee: 1 × $29.90 = $29.90",
    "Extra credits, with 10 credits used: 10 × $0.012075 = $0.12075",
    "shop.orders, 10 more than included: 10 × $0.05 = $0.50",
    "Total: $30.52075",
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
