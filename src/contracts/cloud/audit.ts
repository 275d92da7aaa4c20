import { type Static, Type } from "@sinclair/typebox";

export const CloudAuditEntry = Type.Object({
  id: Type.String(),
  at: Type.String(),
  actor: Type.String({
    description:
      "`user:<id>`, `key:<id>`, `machine` for the command line of the cloud's own machine, or `system`.",
  }),
  action: Type.String({ description: "For example `agent.deploy` or `key.revoke`." }),
  subject: Type.Union([Type.String(), Type.Null()], { description: "ID or name of the changed object." }),
  detail: Type.Record(Type.String(), Type.Unknown()),
  request_id: Type.Union([Type.String(), Type.Null()]),
});
export type CloudAuditEntry = Static<typeof CloudAuditEntry>;

export const CloudAuditList = Type.Object({
  entries: Type.Array(CloudAuditEntry),
  next_cursor: Type.Optional(Type.String({ description: "Cursor of the next page; absent on the last." })),
});
export type CloudAuditList = Static<typeof CloudAuditList>;
