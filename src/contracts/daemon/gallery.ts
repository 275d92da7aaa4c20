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
  about: Type.String({
    description: "Purpose of the sample, from the comment at the beginning of its file.",
  }),
  queries: Type.Array(Type.String(), { description: "Sample queries." }),
  pattern: Type.String(),
  topics: Type.Array(GalleryTopic, { description: "Features that the manifest uses." }),
  tools: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
  model: Type.String({
    description: "`provider/model` of the primary model; empty if the manifest names none.",
  }),
  needs: Type.Array(Type.String(), {
    description: "Names of the agents and document pipelines that the sample depends on.",
  }),
  manifest: Type.String({ description: "Text of the manifest file." }),
  loaded: Type.Boolean({ description: "True if an agent of this name is already loaded." }),
});
export type GalleryAgent = Static<typeof GalleryAgent>;

export const Gallery = Type.Object({ agents: Type.Array(GalleryAgent) });
export type Gallery = Static<typeof Gallery>;
