import { expect, test } from "bun:test";
import fc from "fast-check";
import { invoiceAmounts } from "../../../../src/services/platform/invoices/invoice-amounts.ts";

const vat = { name: "VAT", rate_ppm: 210_000 };

test.each<[number[], number[], number]>([
  [[12_345_678], [12_350_000, 2_590_000], 14_940_000],
  [[5_000], [10_000, 0], 10_000],
  [[4_999], [0, 0], 0],
  [[-12_345_678], [-12_350_000, -2_590_000], -14_940_000],
  [[-5_000], [-10_000, 0], -10_000],
  [[100_000, -30_000], [70_000, 10_000], 80_000],
])("lines of %j are %j net and tax", (lines, [net, tax], total) => {
  const amounts = invoiceAmounts(lines, [vat]);
  expect([amounts.netMicros, amounts.taxMicros, amounts.totalMicros]).toEqual([net, tax, total] as number[]);
});

test("every invoice is in whole cents, and its opposite has the opposite amounts", () => {
  const lines = fc.array(fc.integer({ min: -1e12, max: 1e12 }), { maxLength: 8 });
  const rates = fc.array(fc.integer({ min: 0, max: 1_000_000 }), { maxLength: 3 });
  fc.assert(
    fc.property(lines, rates, (amounts, ppm) => {
      const taxes = ppm.map((rate_ppm) => ({ name: "tax", rate_ppm }));
      const one = invoiceAmounts(amounts, taxes);
      const other = invoiceAmounts(
        amounts.map((micros) => 0 - micros),
        taxes,
      );
      expect(Math.abs(one.netMicros % 10_000)).toBe(0);
      expect(Math.abs(one.totalMicros % 10_000)).toBe(0);
      expect(Math.abs(one.netMicros - one.subtotalMicros)).toBeLessThanOrEqual(5_000);
      expect(one.totalMicros).toBe(one.netMicros + one.taxMicros);
      expect(one.totalMicros + other.totalMicros).toBe(0);
    }),
  );
});
