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
      "`provider/model` of the primary model, by default where the manifest names none; empty when there is none.",
  }),
  orchestration: Type.String(),
  pattern: Type.String({ description: "The same as `orchestration`." }),
  status: AgentStatus,
  error: Type.Optional(
    Type.String({ description: "Why a `failed` agent is not ready, or why its newest file was not taken." }),
  ),
});
export type AgentSummary = Static<typeof AgentSummary>;

export const AgentList = Type.Object({ agents: Type.Array(AgentSummary) });
export type AgentList = Static<typeof AgentList>;

const ModelName = Type.Object({ provider: Type.String(), model: Type.String() });

const ToolNames = Type.Array(Type.String());

export const McpServerView = Type.Object({
  name: Type.String({ description: "The entry of the manifest; its tools are called `<entry>__<tool>`." }),
  status: Type.Union(
    [Type.Literal("idle"), Type.Literal("starting"), Type.Literal("ready"), Type.Literal("down")],
    { description: "`idle`: not needed yet." },
  ),
  message: Type.Optional(Type.String({ description: "Why it is down." })),
  logged_in: Type.Optional(Type.Literal(true, { description: "A login by OAuth is kept for it." })),
  tools_listed: Type.Integer(),
  tools_offered: Type.Integer({ description: "Those that the agent has." }),
  tools_hash: Type.Optional(
    Type.String({ description: "Of the tools that the entry allows; `config.tools_hash` pins them." }),
  ),
  notes: Type.Optional(Type.Array(Type.String(), { description: "What is not offered, and why." })),
  changed: Type.Optional(
    Type.Object(
      { added: ToolNames, changed: ToolNames, removed: ToolNames },
      { description: "How the server's tools differ from those it was first seen with." },
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
      Type.Literal(true, { description: "The manifest names no model: these are the defaults." }),
    ),
  }),
  orchestration: Type.Object({
    pattern: Type.String(),
    max_iterations: Type.Integer(),
    timeout: Type.Number({ description: "Seconds." }),
  }),
  tools: Type.Array(Type.Object({ name: Type.String(), type: Type.String(), description: Type.String() })),
  mcp_servers: Type.Optional(Type.Array(McpServerView)),
  memory: Type.Record(Type.String(), Type.Unknown()),
  status: AgentStatus,
  error: Type.Optional(Type.String()),
  problems: Type.Optional(
    Type.Array(ProblemBody, { description: "What is wrong with the newest manifest, part by part." }),
  ),
  persisted: Type.Boolean({
    description: "Whether it stands in a file; otherwise it lives in memory and is gone after a restart.",
  }),
  file: Type.Optional(Type.String({ description: "The file it was read from, relative to the workspace." })),
});
export type AgentDetail = Static<typeof AgentDetail>;

export const AgentDeleted = Type.Object({ status: Type.Literal("deleted"), name: Type.String() });
export type AgentDeleted = Static<typeof AgentDeleted>;

export const ManifestCheck = Type.Object({
  valid: Type.Boolean(),
  name: Type.Optional(Type.String({ description: "The agent's name, when it is valid." })),
  problems: Type.Array(ProblemBody),
});
export type ManifestCheck = Static<typeof ManifestCheck>;
