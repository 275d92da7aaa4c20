import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { ChannelName, TenantId } from "../../../contracts/gateway/channels.ts";
import { DeskReport } from "../../../contracts/gateway/reports.ts";
import { timeZoneParameter } from "../../../http/read-time-zone.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import type { Clock } from "../../../kit/clock.ts";
import { type DeskDoor, deskCredential, deskTenant } from "../auth/desk-credential.ts";
import type { GatewayStorage } from "../tables.ts";
import { readReport } from "./read-report.ts";
import { reportRange } from "./report-range.ts";
import { reportTable } from "./report-table.ts";

const tags = ["reports"];
const day = (description: string) => Type.Optional(Type.String({ maxLength: 32, description }));
const query = Type.Object({
  tenant: Type.Optional(TenantId),
  channel: Type.Optional(ChannelName),
  from: day("First day, `YYYY-MM-DD`. Default: six days before `to`."),
  to: day("Last day. Default: today. At most 366 days."),
  time_zone: timeZoneParameter(),
});

/** Routes with the figures of desks. */
export const reportRoutes = ({ storage, clock }: { storage: GatewayStorage; clock: Clock }, door: DeskDoor) =>
  new Elysia({ prefix: "/admin/reports" })
    .use(jsonRoutes())
    .use(deskCredential(door))
    .get(
      "",
      async ({ query: { tenant, channel, ...days }, desk }) =>
        readReport(storage, { tenant: deskTenant(desk, tenant), channel }, reportRange(days, clock.now())),
      {
        query,
        response: DeskReport,
        detail: {
          tags,
          operationId: "readReport",
          summary: "Response times, resolutions, messages and scores, by day, person and agent",
        },
      },
    )
    .get(
      "/csv",
      async ({ query: { tenant, channel, ...days }, desk }) => {
        const scope = { tenant: deskTenant(desk, tenant), channel };
        const report = await readReport(storage, scope, reportRange(days, clock.now()));
        return new Response(reportTable(report), {
          headers: {
            "content-type": "text/csv; charset=utf-8",
            "content-disposition": `attachment; filename="report-${report.from}-${report.to}.csv"`,
          },
        });
      },
      {
        query,
        detail: {
          tags,
          operationId: "readReportCsv",
          summary: "The same as CSV: a line for the total, and for each day, person and agent",
          responses: {
            200: { description: "Success.", content: { "text/csv": { schema: { type: "string" } } } },
          },
        },
      },
    );
