import { type Static, Type } from "@sinclair/typebox";

/** Header of an agent's answer: the person behind its tenant, by whom shared places are given. */
export const ownerHeader = "x-platform-owner";

export const PlatformAgent = Type.Object({
  id: Type.String(),
  name: Type.String(),
  display_name: Type.String(),
  status: Type.Literal("active"),
  current_version: Type.Integer(),
  subscription_id: Type.Union([Type.String(), Type.Null()]),
  created_at: Type.String({ description: "Creation time, ISO 8601 UTC." }),
  updated_at: Type.String({ description: "Time of the last update, ISO 8601 UTC." }),
});
export type PlatformAgent = Static<typeof PlatformAgent>;

export const PlatformAgentList = Type.Object({
  agents: Type.Array(PlatformAgent),
  next_cursor: Type.Optional(Type.String({ description: "Cursor for the next agents." })),
});
export type PlatformAgentList = Static<typeof PlatformAgentList>;

const Spec = Type.Unknown({ description: "Manifest as submitted." });

export const PlatformAgentDetail = Type.Composite([PlatformAgent, Type.Object({ spec: Spec })]);
export type PlatformAgentDetail = Static<typeof PlatformAgentDetail>;

export const TenantAgentVersion = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  created_at: Type.String({ description: "Creation time, ISO 8601 UTC." }),
  author: Type.String({ description: "Author of the version: `user:<user id>` or `key:<key hash>`." }),
  checksum: Type.String({ description: "SHA-256 of the spec's canonical JSON, hexadecimal." }),
  note: Type.Optional(Type.String({ description: "The author's words about what has changed." })),
});
export type TenantAgentVersion = Static<typeof TenantAgentVersion>;

export const AgentVersionList = Type.Object({ versions: Type.Array(TenantAgentVersion) });
export type AgentVersionList = Static<typeof AgentVersionList>;

export const AgentVersionDetail = Type.Composite([TenantAgentVersion, Type.Object({ spec: Spec })]);
export type AgentVersionDetail = Static<typeof AgentVersionDetail>;

export const SpecChange = Type.Object({
  path: Type.String({ description: "Path of the changed field, such as `spec.tools[0].name`." }),
  change: Type.Union([Type.Literal("added"), Type.Literal("removed"), Type.Literal("changed")]),
  before: Type.Optional(Type.Unknown()),
  after: Type.Optional(Type.Unknown()),
});
export type SpecChange = Static<typeof SpecChange>;

export const SpecDiff = Type.Object({
  from: Type.Integer(),
  to: Type.Integer(),
  changes: Type.Array(SpecChange),
});
export type SpecDiff = Static<typeof SpecDiff>;
