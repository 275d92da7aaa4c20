import type { BudgetChange } from "../../../contracts/daemon/models/costs.ts";
import { AppError } from "../../../kit/app-error.ts";
import { microsOfUsd, usdMax } from "../../../kit/usd.ts";
import { operatorTenant } from "../deps.ts";
import type { BudgetBook } from "./budget-book.ts";

/** Sets, changes or removes an agent's budget. Refuses an amount finer than a micro, and a reset without a budget. */
export async function setBudget(
  budgets: BudgetBook,
  agent: string,
  { budget, reset = false }: BudgetChange,
): Promise<void> {
  if (budget === null) return budgets.remove(operatorTenant, agent);
  const budgetMicros = budget === undefined ? undefined : readAmount(budget);
  if (budgetMicros === undefined && budgets.stateOf(operatorTenant, agent) === undefined) {
    throw new AppError(
      "conflict",
      "no_budget",
      `Agent ${agent} has no budget whose count could start anew.`,
      {
        details: { hint: "Give `budget` an amount in US dollars." },
      },
    );
  }
  await budgets.set(operatorTenant, agent, {
    ...(budgetMicros === undefined ? {} : { budgetMicros }),
    reset,
  });
}

function readAmount(usd: number): number {
  const micros = microsOfUsd(usd);
  if (micros !== undefined) return micros;
  const message = `must be an amount in US dollars from 0 to ${usdMax} with at most six decimals`;
  throw new AppError("invalid", "invalid_request", `The body is not valid: budget ${message}.`, {
    details: { problems: [{ path: "budget", message }] },
  });
}
