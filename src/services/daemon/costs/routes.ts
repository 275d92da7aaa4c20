import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  Budget,
  BudgetChange,
  BudgetList,
  CostHistory,
  CostSummary,
  UsageRecordList,
} from "../../../contracts/daemon/models/costs.ts";
import { sourceParameter } from "../../../contracts/daemon/runs/run-source.ts";
import { sourcesOf } from "../../../contracts/daemon/runs/run-sources.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { pageLimit } from "../../../http/paging.ts";
import { readTimeZone, timeZoneParameter } from "../../../http/read-time-zone.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { microsOfUsd, usdMax } from "../../../kit/usd.ts";
import { type PricesFile, PricesFileSchema } from "../../../manifest/files/prices-file.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import { operatorTenant } from "../operator-tenant.ts";
import type { Budgets } from "./budgets.ts";
import type { CostLedger } from "./cost-ledger.ts";
import { presentBudget, presentHistory, presentRecord, presentSummary } from "./present-costs.ts";
import { historySince, readAgent, readSince } from "./read-query.ts";

/** Filter of all lists and figures. `usual`: the sources that are counted unless a caller chooses. */
const query = (usual: "traffic" | "all") => ({
  source: sourceParameter(usual),
  agent: Type.Optional(Type.String({ maxLength: 63, description: "Returns only calls of this agent." })),
  since: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        "Returns only calls of runs that ended at or after this time. ISO 8601, UTC if no time zone is given.",
    }),
  ),
});

const HistoryQuery = Type.Object({
  ...query("traffic"),
  time_zone: timeZoneParameter(),
  interval: Type.Optional(
    Type.Union([Type.Literal("hour"), Type.Literal("day")], {
      description:
        "Length of an interval. Default: `hour`. Without `since`, the history covers the last 24 hours or 30 days.",
    }),
  ),
});

const tags = ["costs"];

/** Costs of model calls, and budgets of agents. */
export interface DaemonCosts {
  ledger: CostLedger;
  budgets: Budgets;
  /** Price table as it is now. */
  readonly prices: PricesFile;
}

export interface CostRoutesDeps {
  costs: DaemonCosts;
  catalog: AgentCatalog;
  clock: Clock;
}

/** Routes for the costs of model calls and the budgets of agents. */
export const costRoutes = (deps: CostRoutesDeps) => {
  const { ledger, budgets } = deps.costs;
  const present = async (agent: string) =>
    presentBudget(
      agent,
      budgets.stateOf(operatorTenant, agent),
      await ledger.costMicrosOf(operatorTenant, agent),
    );
  return new Elysia({ prefix: "/v1/costs" })
    .use(jsonRoutes())
    .get(
      "/summary",
      async ({ query: { agent, since, source = "traffic" } }) =>
        presentSummary(
          await ledger.totals(operatorTenant, { ...(await readAgent(deps, agent)), ...readSince(since) }),
          sourcesOf(source),
        ),
      {
        query: Type.Object(query("traffic")),
        response: CostSummary,
        detail: { tags, operationId: "getCostSummary", summary: "Returns usage and cost of model calls" },
      },
    )
    .get(
      "/history",
      async ({ query: { agent, since, source = "traffic", interval = "hour", time_zone } }) => {
        const offsetAt = readTimeZone(time_zone);
        const span = historySince(deps.clock.now(), interval, readSince(since).since, offsetAt);
        return presentHistory(
          interval,
          span,
          await ledger.intervals(operatorTenant, {
            ...(await readAgent(deps, agent)),
            sources: sourcesOf(source),
            ...span,
          }),
        );
      },
      {
        query: HistoryQuery,
        response: CostHistory,
        detail: { tags, operationId: "getCostHistory", summary: "Returns costs by hour or day, for charts" },
      },
    )
    .get(
      "/records",
      async ({ query: { agent, since, source = "all", limit } }) => {
        const sources = sourcesOf(source);
        const filter = { ...(await readAgent(deps, agent)), ...readSince(since), sources, limit };
        return { records: (await ledger.latest(operatorTenant, filter)).map(presentRecord) };
      },
      {
        query: Type.Object({ ...query("all"), limit: pageLimit({ default: 50, max: 1000 }) }),
        response: UsageRecordList,
        detail: { tags, operationId: "listUsageRecords", summary: "Lists recent model calls, newest first" },
      },
    )
    .get("/prices", async () => deps.costs.prices, {
      response: PricesFileSchema,
      detail: {
        tags,
        operationId: "getPrices",
        summary: "Returns the price table in use",
        description: "The JSON can be used unchanged as a prices.yaml file.",
      },
    })
    .get(
      "/budgets",
      async () => ({
        budgets: await Promise.all(
          deps.catalog
            .list()
            .filter(({ name }) => budgets.stateOf(operatorTenant, name) !== undefined)
            .map(({ name }) => present(name)),
        ),
      }),
      {
        response: BudgetList,
        detail: { tags, operationId: "listBudgets", summary: "Lists agents with a budget" },
      },
    )
    .get(
      "/budgets/:agent",
      async ({ params: { agent } }) => {
        await deps.catalog.getEntry(agent);
        return present(agent);
      },
      {
        response: Budget,
        detail: { tags, operationId: "getBudget", summary: "Returns an agent's budget and spending" },
      },
    )
    .put(
      "/budgets/:agent",
      async ({ params: { agent }, body }) => {
        await deps.catalog.getEntry(agent);
        await setBudget(budgets, agent, body);
        return present(agent);
      },
      {
        ...jsonBody(BudgetChange),
        response: Budget,
        detail: {
          tags,
          operationId: "setBudget",
          summary: "Sets or removes an agent's budget",
          description:
            "Hard limit on the spending of the agent and all agents that it calls, counted from now on. Runs that exceed it fail with 402 `budget_exceeded`.",
        },
      },
    );
};

/** Sets, changes or removes an agent's budget. Refuses an amount finer than a micro, and a reset without a budget. */
async function setBudget(
  budgets: Budgets,
  agent: string,
  { budget, reset = false }: BudgetChange,
): Promise<void> {
  if (budget === null) return budgets.remove(operatorTenant, agent);
  const budgetMicros = budget === undefined ? undefined : readAmount(budget);
  if (budgetMicros === undefined && budgets.stateOf(operatorTenant, agent) === undefined) {
    throw new AppError("conflict", "no_budget", `Agent ${agent} has no budget to reset.`, {
      details: { hint: "Give `budget` an amount in US dollars." },
    });
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
