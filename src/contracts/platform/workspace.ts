import { type Static, Type } from "@sinclair/typebox";

const key = {
  resource_type: Type.String({
    minLength: 1,
    maxLength: 63,
    description: "Type of the resource, such as `platform.agent`.",
  }),
  name: Type.String({ minLength: 1, maxLength: 512 }),
};
const applied = Type.Record(Type.String(), Type.Unknown(), {
  description: "Values as they were applied. Secrets are salted hashes.",
});

/** A resource that an apply of a workspace created or took over. */
export const WorkspaceRecord = Type.Object({
  ...key,
  applied,
  applied_at: Type.String({ description: "Time of the apply, ISO 8601 UTC." }),
});
export type WorkspaceRecord = Static<typeof WorkspaceRecord>;

export const WorkspaceRecords = Type.Object({
  revision: Type.Integer({ minimum: 0, description: "Number of changes of the records. 0: none." }),
  resources: Type.Array(WorkspaceRecord),
});
export type WorkspaceRecords = Static<typeof WorkspaceRecords>;

export const WorkspaceChange = Type.Object(
  {
    revision: Type.Integer({ minimum: 0, description: "Revision that the change is based on." }),
    put: Type.Array(Type.Object({ ...key, applied }, { additionalProperties: false }), { maxItems: 1000 }),
    drop: Type.Array(Type.Object(key, { additionalProperties: false }), { maxItems: 1000 }),
  },
  { additionalProperties: false },
);
export type WorkspaceChange = Static<typeof WorkspaceChange>;

export const WorkspaceRevision = Type.Object({ revision: Type.Integer() });
export type WorkspaceRevision = Static<typeof WorkspaceRevision>;

export const AgentCheck = Type.Object({
  problems: Type.Array(Type.Object({ path: Type.String(), message: Type.String() })),
});
export type AgentCheck = Static<typeof AgentCheck>;
