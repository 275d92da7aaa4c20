import type { PricesFile } from "../../../manifest/prices-file.ts";
import type { BudgetBook } from "./budget-book.ts";
import type { CostTracker } from "./cost-tracker.ts";

/** What model calls have cost, and what agents may spend. */
export interface DaemonCosts {
  tracker: CostTracker;
  budgets: BudgetBook;
  /** The table of prices in use. */
  prices: PricesFile;
}
