import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { sourceParameter } from "../../../contracts/daemon/runs/run-source.ts";
import { type BucketLength, bucketLengths, RunStats } from "../../../contracts/daemon/runs/run-stats.ts";
import { timeZoneParameter } from "../../../http/read-time-zone.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import type { Clock } from "../../../kit/clock.ts";
import { readableTenant, requireOwner } from "../operator-tenant.ts";
import type { RunStatistics } from "./read-stats.ts";

const instant = (description: string) =>
  Type.Optional(Type.String({ maxLength: 64, description: `${description} ISO 8601.` }));

/** PostgreSQL refuses the character 0 in parameters. */
const name = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, pattern: "^[^\\u0000]*$", description }));

const RunStatsParameters = Type.Object({
  since: instant("Start of the first bucket. Default: a day before `until`."),
  until: instant("Returns only runs started before this time. Default: now."),
  bucket: Type.Optional(
    Type.Union(
      (Object.keys(bucketLengths) as BucketLength[]).map((length) => Type.Literal(length)),
      {
        description:
          "Length of a bucket. Default: the shortest that gives 62 buckets or fewer. At most 750 buckets.",
      },
    ),
  ),
  time_zone: timeZoneParameter(),
  group_by: Type.Optional(
    Type.Union(
      [Type.Literal("agent"), Type.Literal("model"), Type.Literal("source"), Type.Literal("tenant")],
      {
        description:
          "Also returns the figures of each agent, model, source or tenant. `source` counts the runs of every source, unless `source` names some. `tenant` counts the runs of every tenant, unless `tenant` names one, and is for the owner of the machine only.",
      },
    ),
  ),
  agent: name(63, "Counts only runs of this agent."),
  model: name(255, "Counts only runs with this model in their summary."),
  source: sourceParameter("traffic"),
  tenant: name(255, "Tenant of the platform that the runs belong to. For the owner of the machine only."),
});

export interface RunStatsDeps {
  runStats: RunStatistics;
  clock: Clock;
}

/** Route for the statistics of finished runs. */
export const runStatsRoutes = ({ runStats, clock }: RunStatsDeps) =>
  new Elysia({ prefix: "/v1/stats" }).use(jsonRoutes()).get(
    "/runs",
    async ({ query: { tenant, ...query }, call }) => {
      if (query.group_by === "tenant") requireOwner(call);
      const isEvery = query.group_by === "tenant" && tenant === undefined;
      return runStats.read(isEvery ? { isEvery: true } : readableTenant(call, tenant), query, clock.now());
    },
    {
      query: RunStatsParameters,
      response: RunStats,
      detail: {
        tags: ["traces"],
        operationId: "getRunStats",
        summary: "Returns runs, errors, latency, tokens and cost over time",
        description:
          "Counts finished runs in the database, so a restart loses nothing. Runs count in the bucket in which they started, and are kept for 92 days, 200,000 at most, longer than their traces.",
      },
    },
  );
