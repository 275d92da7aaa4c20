import { csvText } from "../../../contracts/csv-text.ts";
import type { Statement, StatementCharge } from "../../../contracts/platform/billing/billing.ts";

const columns = [
  "type",
  "description",
  "quantity",
  "unit_price_micros",
  "amount_micros",
  "subscription_id",
] as const satisfies readonly (keyof StatementCharge)[];

/** Writes a statement as CSV: a line for each charge. */
export const statementCsv = ({ charges }: Statement): string =>
  csvText(
    columns,
    charges.map((charge) => columns.map((column) => charge[column])),
  );
