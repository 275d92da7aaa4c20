import { expect, test } from "bun:test";
import type { Statement } from "../../../../src/contracts/platform/billing/billing.ts";
import { statementCsv } from "../../../../src/services/platform/billing/statement-csv.ts";

const csvOf = (description: string) => {
  const charge = {
    type: "cuota" as const,
    description,
    quantity: 1,
    unit_price_micros: 2,
    amount_micros: 3,
    subscription_id: null,
  };
  return statementCsv({ charges: [charge] } as unknown as Statement).split("\r\n")[1];
};

test.each<[string, string]>([
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\t=1", "' =1"],
  ["  =1", "'  =1"],
  ["＝1", "'＝1"],
  ["a\r\nb", "a b"],
  ["a\u001b[31m\u0085b\u2028c", "a [31m b c"],
  ['He said "x, y"', '"He said ""x, y"""'],
  ["Fee of Pro", "Fee of Pro"],
])("a description %p is the cell %p", (description, cell) => {
  expect(csvOf(description)).toBe(`cuota,${cell},1,2,3,`);
});
