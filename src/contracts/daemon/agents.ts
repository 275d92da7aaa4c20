import { type Static, Type } from "@sinclair/typebox";
import { ProblemBody } from "../error-body.ts";

export const AgentStatus = Type.Union([
  Type.Literal("ready"),
  Type.Literal("failed"),
  Type.Literal("paused"),
]);
export type AgentStatus = Static<typeof AgentStatus>;

export const AgentSummary = Type.Object({
  name: Type.String(),
  description: Type.String(),
  model: Type.String({
    description:
      "`provider/model` of the primary model, or of the default model if the manifest names none; empty if there is neither.",
  }),
  orchestration: Type.String(),
  pattern: Type.String({ description: "Same value as `orchestration`." }),
  status: AgentStatus,
  error: Type.Optional(
    Type.String({
      description: "Error that made the agent `failed`, or that prevented loading its newest file.",
    }),
  ),
});
export type AgentSummary = Static<typeof AgentSummary>;

export const AgentList = Type.Object({ agents: Type.Array(AgentSummary) });
export type AgentList = Static<typeof AgentList>;

const ModelName = Type.Object({ provider: Type.String(), model: Type.String() });

const ToolNames = Type.Array(Type.String());

export const McpServerView = Type.Object({
  name: Type.String({
    description: "Name of the manifest's tool entry. The server's tools are named `<entry>__<tool>`.",
  }),
  status: Type.Union(
    [Type.Literal("idle"), Type.Literal("starting"), Type.Literal("ready"), Type.Literal("down")],
    { description: "Connection status. `idle`: not started, because it has not been needed yet." },
  ),
  message: Type.Optional(
    Type.String({ description: "Reason why the server is down, or what its login lacks." }),
  ),
  logged_in: Type.Optional(
    Type.Literal(true, { description: "True if an OAuth login is stored for the server." }),
  ),
  tools_listed: Type.Integer({
    description: "Number of tools that the server lists, including those that are not offered.",
  }),
  tools_offered: Type.Integer({ description: "Number of the server's tools that the agent can call." }),
  tools_hash: Type.Optional(
    Type.String({ description: "Hash of the tools that the entry allows. `config.tools_hash` pins it." }),
  ),
  notes: Type.Optional(
    Type.Array(Type.String(), { description: "Tools that are not offered, with the reason." }),
  ),
  changed: Type.Optional(
    Type.Object(
      { added: ToolNames, changed: ToolNames, removed: ToolNames },
      {
        description: "Differences between the server's current tools and those recorded on first connection.",
      },
    ),
  ),
});
export type McpServerView = Static<typeof McpServerView>;

export const AgentDetail = Type.Object({
  name: Type.String(),
  description: Type.String(),
  version: Type.String(),
  namespace: Type.String(),
  model: Type.Object({
    primary: Type.Union([ModelName, Type.Null()]),
    fallback: Type.Union([ModelName, Type.Null()]),
    routing: Type.Object({ strategy: Type.String() }),
    is_default: Type.Optional(
      Type.Literal(true, {
        description: "True if the manifest names no model and the default models apply.",
      }),
    ),
  }),
  orchestration: Type.Object({
    pattern: Type.String(),
    max_iterations: Type.Integer(),
    timeout: Type.Number({ description: "Time limit of a run in seconds." }),
  }),
  tools: Type.Array(Type.Object({ name: Type.String(), type: Type.String(), description: Type.String() })),
  mcp_servers: Type.Optional(Type.Array(McpServerView)),
  memory: Type.Record(Type.String(), Type.Unknown()),
  status: AgentStatus,
  error: Type.Optional(Type.String()),
  problems: Type.Optional(
    Type.Array(ProblemBody, { description: "Problems in the newest manifest, each with its path." }),
  ),
  persisted: Type.Boolean({
    description:
      "True if the agent is stored in a file. Otherwise it exists only in memory and is lost at restart.",
  }),
  file: Type.Optional(
    Type.String({ description: "File the agent was loaded from, relative to the workspace." }),
  ),
  fingerprint: Type.Optional(
    Type.String({
      description:
        "SHA-256 of the version in service: its manifest with the values of variables, and its effective models.",
    }),
  ),
  candidate: Type.Optional(
    Type.Object(
      { fingerprint: Type.String(), reasons: Type.Array(Type.String()) },
      { description: "Version that the release gate keeps out of service, and why." },
    ),
  ),
  canary: Type.Optional(
    Type.Object(
      { fingerprint: Type.String(), percent: Type.Number() },
      { description: "Version that answers this share of the sessions; see `/v1/agents/{name}/canary`." },
    ),
  ),
});
export type AgentDetail = Static<typeof AgentDetail>;

export const AgentDeleted = Type.Object({ status: Type.Literal("deleted"), name: Type.String() });
export type AgentDeleted = Static<typeof AgentDeleted>;

export const ManifestCheck = Type.Object({
  valid: Type.Boolean(),
  name: Type.Optional(Type.String({ description: "Name of the agent, if the manifest is valid." })),
  problems: Type.Array(ProblemBody),
});
export type ManifestCheck = Static<typeof ManifestCheck>;
