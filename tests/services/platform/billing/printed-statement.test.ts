import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { creditsText, usdText, usdTotalText } from "../../../../src/contracts/amounts.ts";
import type { Statement, StatementCharge } from "../../../../src/contracts/platform/billing/billing.ts";
import { printedCharge } from "../../../../src/contracts/platform/billing/printed-amounts.ts";
import { daysIn } from "../../../../src/kit/utc-calendar.ts";
import { periodCharges } from "../../../../src/services/platform/billing/period-charges.ts";
import { statementPage } from "../../../../src/services/platform/billing/statement-page.ts";
import { defaultPlan } from "../../../../src/services/platform/plans/default-plan.ts";
import type { PlanRow } from "../../../../src/services/platform/plans/schema.ts";

/** Parses a printed amount digit by digit; returns micros. */
function microsOf(printed: string): bigint {
  const [, sign, whole = "", fraction = ""] = /^(-?)\$?([\d,]+)\.?(\d*)/.exec(printed) ?? [];
  return BigInt(`${sign}${whole.replaceAll(",", "")}${fraction.padEnd(6, "0")}`);
}

/** Parses a printed quantity as a fraction. */
function quantityOf(printed: string): [bigint, bigint] {
  const days = /^(\d+) of (\d+) days$/.exec(printed);
  if (days !== null) return [BigInt(days[1] ?? 0), BigInt(days[2] ?? 1)];
  if (printed === "1 month") return [1n, 1n];
  return [microsOf(printed.replace(" credits", "")), 1_000_000n];
}

const halfUp = (numerator: bigint, denominator: bigint) =>
  (numerator * 2n + denominator) / (denominator * 2n);

/** Returns the charges of a month under a plan, as on the statement. */
function charges(month: string, plan: PlanRow, use: { from: number; units: number; credits: number }) {
  const { charges: lines, totalMicros } = periodCharges({
    month,
    spans: [{ plan, days: daysIn(month) - use.from + 1 }],
    activated: plan,
    usage: [{ plan, units: new Map([["erp.docs", use.units]]) }],
    credits: [{ plan, usedMicros: use.credits, grantedMicros: 0 }],
    grants: [],
    adjustments: [],
  });
  const shown = lines.map(
    ({ type, description, quantity, unitPriceMicros, amountMicros }): StatementCharge => ({
      type,
      description,
      quantity,
      unit_price_micros: unitPriceMicros,
      amount_micros: amountMicros,
      subscription_id: null,
    }),
  );
  return { shown, totalMicros };
}

const planWith = (change: Partial<PlanRow>): PlanRow => ({
  ...defaultPlan,
  createdAt: new Date(0),
  ...change,
});

function expectToAddUp(month: string, { shown, totalMicros }: ReturnType<typeof charges>): void {
  let sum = 0n;
  for (const charge of shown) {
    const { quantity, unitPrice, amount } = printedCharge(charge, month);
    const [numerator, denominator] = quantityOf(quantity);
    expect(`${quantity} × ${unitPrice} = ${halfUp(numerator * microsOf(unitPrice), denominator)}`).toBe(
      `${quantity} × ${unitPrice} = ${microsOf(amount)}`,
    );
    sum += microsOf(amount);
  }
  expect(sum).toBe(BigInt(totalMicros));
  expect(microsOf(usdTotalText(totalMicros))).toBe(halfUp(sum, 10_000n) * 10_000n);
}

describe("what a statement prints adds up", () => {
  const months = ["2026-02", "2028-02", "2026-03", "2026-04"];
  const fees = [0, 1, 29_900_000, 31_000_001, 1_000_000_000_000];
  const prices = [1, 12_075, 10_000, 333_333, 2_000_000, 999_999_999];
  const used = [0, 1, 42_218_300, 5_000_000, 5_000_001, 123_456_789];
  for (const month of months) {
    test(`in ${month}, for many plans`, () => {
      for (const minFeeMicros of fees) {
        for (const price of prices) {
          for (const credits of used) {
            for (const from of [1, 2, 15, daysIn(month)]) {
              const unidades = { "erp.docs": { incluidas: 10, excedente_micros: price } };
              const plan = planWith({
                minFeeMicros,
                activationPriceMicros: price,
                includedCreditsMicros: 5_000_000,
                extraCreditPriceMicros: price,
                spec: { unidades, features: {} },
              });
              expectToAddUp(month, charges(month, plan, { from, units: credits % 1000, credits }));
            }
          }
        }
      }
    });
  }

  test("for any plan", () => {
    const micros = fc.integer({ min: 0, max: 1_000_000_000_000 });
    const use = fc.record({
      from: fc.integer({ min: 1, max: 28 }),
      units: fc.integer({ min: 0, max: 100_000 }),
      credits: fc.integer({ min: 0, max: 1_000_000_000 }),
    });
    fc.assert(
      fc.property(
        micros,
        micros,
        fc.integer({ min: 0, max: 1_000_000_000 }),
        use,
        (fee, activation, price, of) => {
          const unidades = { "erp.docs": { incluidas: 100, excedente_micros: price } };
          const plan = planWith({
            minFeeMicros: fee,
            activationPriceMicros: activation,
            extraCreditPriceMicros: price,
            spec: { unidades, features: {} },
          });
          expectToAddUp("2026-03", charges("2026-03", plan, of));
        },
      ),
    );
  });

  const charge = (type: StatementCharge["type"], quantity: number, unit: number, amount: number) => ({
    type,
    description: "Pro",
    quantity,
    unit_price_micros: unit,
    amount_micros: amount,
    subscription_id: null,
  });
  test.each([
    [charge("cuota", 31, 29_900_000, 29_900_000), ["1 month", "$29.90", "$29.90"]],
    [charge("cuota", 12, 29_900_000, 11_574_194), ["12 of 31 days", "$29.90", "$11.574194"]],
    [charge("activacion", 1, 5_000_000, 5_000_000), ["1", "$5.00", "$5.00"]],
    [charge("excedente_unidad", 12_345, 50_000, 617_250_000), ["12,345", "$0.05", "$617.25"]],
    [charge("creditos_extra", 42_218_300, 12_075, 509_786), ["42.2183 credits", "$0.012075", "$0.509786"]],
  ])("%p", (line, [quantity = "", unitPrice = "", amount = ""]) => {
    expect(printedCharge(line, "2026-03")).toEqual({ quantity, unitPrice, amount });
  });

  test.each([
    [0, "$0.00", "$0.00", "0"],
    [4999, "$0.004999", "$0.00", "0.004999"],
    [5000, "$0.005", "$0.01", "0.005"],
    [-1_250_000, "-$1.25", "-$1.25", "-1.25"],
    [-4000, "-$0.004", "$0.00", "-0.004"],
    [1_234_567_894_999, "$1,234,567.894999", "$1,234,567.89", "1,234,567.894999"],
    [10_000_000, "$10.00", "$10.00", "10"],
  ])("%p micros", (micros, full, total, credits) => {
    expect([usdText(micros), usdTotalText(micros), creditsText(micros)]).toEqual([full, total, credits]);
  });

  test("on paper: the currency, each line in full, credits by plan, and the total in cents", () => {
    const statement: Statement = {
      tenant_id: "t-1",
      tenant_name: "Ada <Ltd>",
      period: "2026-03",
      currency: "USD",
      provisional: false,
      charges: [
        charge("cuota", 12, 29_900_000, 11_574_194),
        charge("creditos_extra", 42_218_300, 12_075, 509_786),
      ],
      credits: {
        used_micros: 47_218_300,
        included_micros: 5_000_000,
        granted_micros: 0,
        extra_micros: 42_218_300,
        by_plan: [
          {
            plan_id: "pro",
            plan_name: "Pro",
            subscription_id: null,
            used_micros: 47_218_300,
            included_micros: 5_000_000,
            granted_micros: 0,
            extra_micros: 42_218_300,
          },
        ],
        grants: [],
      },
      total_micros: 12_083_980,
    };
    const page = statementPage(statement);
    for (const text of [
      "Ada &lt;Ltd&gt;",
      "US dollars (USD)",
      '<td class="n">12 of 31 days</td><td class="n">$29.90</td><td class="n">$11.574194</td>',
      '<td class="n">42.2183 credits</td><td class="n">$0.012075</td><td class="n">$0.509786</td>',
      '<td class="n">$12.08</td>',
      '<tr><td>Pro</td><td class="n">47.2183</td><td class="n">5</td><td class="n">0</td><td class="n">42.2183</td></tr>',
    ]) {
      expect(page).toContain(text);
    }
  });
});
