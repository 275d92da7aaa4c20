import { Command, InvalidArgumentError } from "commander";
import { costText, nearestMicros, usdText } from "../../contracts/amounts.ts";
import type { CostQuery } from "../../contracts/daemon/client.ts";
import type { Budget, BudgetChange, CostSummary } from "../../contracts/daemon/models/costs.ts";
import { systemClock } from "../../kit/clock.ts";
import { parseInstant } from "../../kit/parse-instant.ts";
import { microsOfUsd } from "../../kit/usd.ts";
import { type CommandCall, type Perform, withDaemon } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { sourceOption } from "../option-values.ts";
import { type Inline, paint } from "../terminal/paint.ts";
import { usageError } from "../terminal/report-error.ts";
import type { Screen } from "../terminal/screen.ts";
import { counted } from "../terminal/table.ts";

export const costsCommand = (perform: Perform) => {
  const command = new Command("costs")
    .description("show the cost of model calls, or agents' budgets")
    .option("--agent <name>", "only calls of this agent")
    .option("--since <when>", "only later calls: 30m, 24h, 7d, or an ISO 8601 day or instant", since)
    .addOption(sourceOption("traffic"))
    .action((query: CostQuery, self: Command) => perform(self, (call) => showCosts(call, query)));
  command
    .command("budget")
    .description("show, set or remove the budget of an agent and of the agents it calls")
    .argument("[agent]", "an agent's name (default: all with a budget)")
    .argument("[usd]", "the new budget in US dollars, or `none`", amount)
    .option("--reset", "reset the amount spent to zero")
    .action(
      (
        agent: string | undefined,
        budget: number | null | undefined,
        { reset }: { reset?: boolean },
        self: Command,
      ) =>
        perform(self, (call) => {
          requireNoQuery(command);
          const change = { ...(budget === undefined ? {} : { budget }), ...(reset && { reset }) };
          return agent === undefined ? listBudgets(call, change) : budgetOf(call, agent, change);
        }),
    );
  return command;
};

const lengthsMs = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function since(text: string): string {
  const ago = /^([1-9][0-9]{0,5})([mhd])$/.exec(text);
  if (ago !== null) {
    const ms = Number(ago[1]) * lengthsMs[ago[2] as keyof typeof lengthsMs];
    return new Date(systemClock.now().getTime() - ms).toISOString();
  }
  const instant = parseInstant(text);
  if (instant !== undefined) return instant.toISOString();
  throw new InvalidArgumentError("It must be like 30m, 24h, 7d, 2026-01-31 or 2026-01-31T12:00:00Z.");
}

function amount(text: string): number | null {
  if (text === "none") return null;
  const usd = /^\$?([0-9]{1,10}(?:\.[0-9]{1,6})?)$/.exec(text)?.[1];
  if (usd !== undefined && microsOfUsd(Number(usd)) !== undefined) return Number(usd);
  throw new InvalidArgumentError("It must be US dollars, such as 5 or 0.25, or none.");
}

/** Refuses options of the list after `budget`, where commander parses them too but they have no effect. */
function requireNoQuery(command: Command): void {
  if (Object.keys(command.opts()).length === 0) return;
  throw usageError("--agent, --since and --source apply to the list of costs, not to budgets.");
}

async function showCosts(call: CommandCall, query: CostQuery): Promise<ExitCode> {
  const { screen } = call;
  const summary = await withDaemon(call, {}, (client) => client.costSummary(query));
  if (screen.json) screen.document(summary);
  else printCosts(screen, summary, query);
  return exitCodes.ok;
}

function printCosts(screen: Screen, summary: CostSummary, { agent, since: asked }: CostQuery): void {
  const { num_calls, counted_from, total_tokens, total_cost, unpriced_calls, estimated_calls } = summary;
  if (num_calls === 0) {
    const whose = agent === undefined ? "" : ` of ${agent}`;
    screen.say(`No model calls${whose} ${asked === undefined ? "yet" : `since ${counted_from}`}.`);
    return;
  }
  const dearestFirst = Object.entries(summary.by_model).sort(([, a], [, b]) => b.cost - a.cost);
  screen.table(
    ["MODEL", "PROVIDER", "CALLS", "INPUT", "OUTPUT", "COST"],
    dearestFirst.map(([model, row]) => [
      paint("bold", model),
      row.providers.join(", "),
      String(row.calls),
      String(row.input_tokens),
      String(row.output_tokens),
      costText({ micros: nearestMicros(row.cost), unknown: row.unpriced_calls }),
    ]),
  );
  screen.say(
    `${costText({ micros: nearestMicros(total_cost), unknown: unpriced_calls })} for ${counted(num_calls, "call")} and ${counted(total_tokens, "token")} since ${counted_from}.`,
  );
  if (unpriced_calls > 0) {
    screen.say(
      `${counted(unpriced_calls, "call")} used models without a price. Set prices in providers.yaml or prices.yaml.`,
    );
  }
  if (estimated_calls > 0) {
    screen.say(
      `The tokens of ${counted(estimated_calls, "call")} are estimated, because the provider reported none.`,
    );
  }
}

async function listBudgets(call: CommandCall, change: BudgetChange): Promise<ExitCode> {
  const { screen } = call;
  if (change.reset !== undefined) throw usageError("Name the agent to reset.");
  const list = await withDaemon(call, {}, (client) => client.listBudgets());
  if (screen.json) screen.document(list);
  else if (list.budgets.length === 0) {
    screen.say("No agent has a budget. Set one with: argosy costs budget <agent> <usd>");
  } else {
    screen.table(
      ["AGENT", "BUDGET", "SPENT", "REMAINING", "STATUS"],
      list.budgets.map((budget) => [
        paint("bold", budget.agent),
        dollars(budget.budget ?? 0),
        dollars(budget.spent),
        dollars(budget.remaining ?? 0),
        statusOf(budget),
      ]),
    );
    for (const budget of list.budgets) sayWarning(screen, budget);
  }
  return exitCodes.ok;
}

async function budgetOf(call: CommandCall, agent: string, change: BudgetChange): Promise<ExitCode> {
  const { screen } = call;
  const isChange = Object.keys(change).length > 0;
  const budget = await withDaemon(call, {}, (client) =>
    isChange ? client.setBudget(agent, change) : client.getBudget(agent),
  );
  if (screen.json) screen.document(budget);
  else printBudget(screen, budget);
  return exitCodes.ok;
}

function printBudget(screen: Screen, budget: Budget): void {
  const { budget: limit, remaining } = budget;
  screen.fields([
    ["agent", paint("bold", budget.agent)],
    ["budget", limit === null ? "none" : dollars(limit)],
    ["spent", limit === null ? `${dollars(budget.spent)} since the server started` : dollars(budget.spent)],
    ...(remaining === null ? [] : ([["remaining", dollars(remaining)]] satisfies [string, Inline][])),
    ...(budget.held === 0
      ? []
      : ([["kept back", `${dollars(budget.held)} reserved for running calls`]] satisfies [string, Inline][])),
    ["status", statusOf(budget)],
  ]);
  sayWarning(screen, budget);
}

function statusOf({ has_budget, exceeded }: Budget): Inline {
  if (!has_budget) return "unlimited";
  return exceeded ? paint("red", "exceeded") : paint("green", "within");
}

function sayWarning(screen: Screen, { agent, warning }: Budget): void {
  if (warning !== undefined) screen.say(paint("yellow", `${agent}:`), " ", warning);
}

function dollars(usd: number): string {
  return usdText(nearestMicros(usd));
}
