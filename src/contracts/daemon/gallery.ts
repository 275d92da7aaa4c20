import { type Static, Type } from "@sinclair/typebox";

/** Feature that a sample agent demonstrates. */
export const GalleryTopic = Type.Union([
  Type.Literal("tools"),
  Type.Literal("mcp"),
  Type.Literal("agents"),
  Type.Literal("approvals"),
  Type.Literal("client_tools"),
  Type.Literal("guardrails"),
  Type.Literal("conversation_summary"),
  Type.Literal("semantic_memory"),
  Type.Literal("episodic_memory"),
  Type.Literal("knowledge"),
  Type.Literal("structured_output"),
  Type.Literal("chain"),
  Type.Literal("fallback_models"),
  Type.Literal("model_roles"),
  Type.Literal("channels"),
]);
export type GalleryTopic = Static<typeof GalleryTopic>;

export const GalleryAgent = Type.Object({
  name: Type.String(),
  description: Type.String(),
  about: Type.String({ description: "What it is there to show: the words at the beginning of its file." }),
  queries: Type.Array(Type.String(), { description: "What to ask it for a start." }),
  pattern: Type.String(),
  topics: Type.Array(GalleryTopic, { description: "What the manifest uses." }),
  tools: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
  model: Type.String({ description: "`provider/model` of the primary model; empty when it names none." }),
  needs: Type.Array(Type.String(), {
    description: "Names of agents and of pipelines of documents that it works with.",
  }),
  manifest: Type.String({ description: "The file's text." }),
  loaded: Type.Boolean({ description: "Whether an agent of this name is there already." }),
});
export type GalleryAgent = Static<typeof GalleryAgent>;

export const Gallery = Type.Object({ agents: Type.Array(GalleryAgent) });
export type Gallery = Static<typeof Gallery>;
