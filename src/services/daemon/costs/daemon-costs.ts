import type { PricesFile } from "../../../manifest/prices-file.ts";
import type { BudgetBook } from "./budget-book.ts";
import type { CostLedger } from "./cost-ledger.ts";

/** What model calls have cost, and what agents may spend. */
export interface DaemonCosts {
  ledger: CostLedger;
  budgets: BudgetBook;
  /** The table of prices in use. */
  prices: PricesFile;
}
