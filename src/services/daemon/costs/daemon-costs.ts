import type { PricesFile } from "../../../manifest/files/prices-file.ts";
import type { BudgetBook } from "./budget-book.ts";
import type { CostLedger } from "./cost-ledger.ts";

/** Costs of model calls, and budgets of agents. */
export interface DaemonCosts {
  ledger: CostLedger;
  budgets: BudgetBook;
  /** Price table in use. */
  prices: PricesFile;
}
