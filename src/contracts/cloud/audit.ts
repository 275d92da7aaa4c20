import { type Static, Type } from "@sinclair/typebox";

export const CloudAuditEntry = Type.Object({
  id: Type.String(),
  at: Type.String(),
  actor: Type.String({
    description:
      "`user:<id>`, `key:<id>`, `machine` for the command line of the cloud's own machine, or `system`.",
  }),
  actor_name: Type.Union([Type.String(), Type.Null()], {
    description: "E-mail address of a person, or name of an API key.",
  }),
  action: Type.String({ description: "For example `agent.deploy` or `key.revoke`." }),
  subject: Type.Union([Type.String(), Type.Null()], { description: "ID or name of the changed object." }),
  subject_name: Type.Union([Type.String(), Type.Null()], {
    description: "E-mail address of a subject that is a member, name of one that is an API key.",
  }),
  detail: Type.Record(Type.String(), Type.Unknown()),
  request_id: Type.Union([Type.String(), Type.Null()]),
});
export type CloudAuditEntry = Static<typeof CloudAuditEntry>;

/** Filters and page of an org's audit log. */
export interface CloudAuditQuery {
  action?: string;
  actor?: string;
  /** ISO 8601. */
  since?: string;
  until?: string;
  limit?: number;
  cursor?: string;
}

export const CloudAuditList = Type.Object({
  entries: Type.Array(CloudAuditEntry),
  next_cursor: Type.Optional(Type.String({ description: "Cursor of the next page; absent on the last." })),
});
export type CloudAuditList = Static<typeof CloudAuditList>;
