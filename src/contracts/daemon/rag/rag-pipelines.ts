import { type Static, Type } from "@sinclair/typebox";
import { ProblemBody } from "../../error-body.ts";

export const PipelineView = Type.Object({
  name: Type.String(),
  description: Type.String(),
  collection: Type.String(),
  status: Type.Union([Type.Literal("ready"), Type.Literal("failed")]),
  error: Type.Optional(
    Type.String({ description: "Why it is not ready, or why its newest file was not taken." }),
  ),
  problems: Type.Optional(Type.Array(ProblemBody)),
  persisted: Type.Boolean({
    description: "Whether it stands in a file; otherwise it lives in memory and is gone after a restart.",
  }),
  file: Type.Optional(Type.String({ description: "The file it was read from, relative to the workspace." })),
});
export type PipelineView = Static<typeof PipelineView>;

export const PipelineList = Type.Object({ pipelines: Type.Array(PipelineView) });
export type PipelineList = Static<typeof PipelineList>;

/** A pipeline with its settings and defaults. Store addresses that contain a password are omitted. */
export const PipelineDetail = Type.Object({
  ...PipelineView.properties,
  spec: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "What it says, defaults filled in, secrets masked; absent when it can't be read.",
    }),
  ),
});
export type PipelineDetail = Static<typeof PipelineDetail>;

export const PipelineDeleted = Type.Object({ status: Type.Literal("deleted"), name: Type.String() });
export type PipelineDeleted = Static<typeof PipelineDeleted>;
