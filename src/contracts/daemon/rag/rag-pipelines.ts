import { type Static, Type } from "@sinclair/typebox";
import { ProblemBody } from "../../error-body.ts";

export const PipelineView = Type.Object({
  name: Type.String(),
  description: Type.String(),
  collection: Type.String(),
  status: Type.Union([Type.Literal("ready"), Type.Literal("failed")]),
  error: Type.Optional(
    Type.String({
      description:
        "Error that keeps the pipeline from being ready, or that prevented loading its newest file.",
    }),
  ),
  problems: Type.Optional(Type.Array(ProblemBody)),
  persisted: Type.Boolean({
    description:
      "True if the pipeline is stored in a file. Otherwise it exists only in memory and is lost at restart.",
  }),
  file: Type.Optional(
    Type.String({ description: "File the pipeline was loaded from, relative to the workspace." }),
  ),
});
export type PipelineView = Static<typeof PipelineView>;

export const PipelineList = Type.Object({ pipelines: Type.Array(PipelineView) });
export type PipelineList = Static<typeof PipelineList>;

/** A pipeline with its settings and defaults. Store addresses that contain a password are omitted. */
export const PipelineDetail = Type.Object({
  ...PipelineView.properties,
  spec: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        "Settings of the pipeline, including default values, with secrets masked; absent if they cannot be read.",
    }),
  ),
});
export type PipelineDetail = Static<typeof PipelineDetail>;

export const PipelineDeleted = Type.Object({ status: Type.Literal("deleted"), name: Type.String() });
export type PipelineDeleted = Static<typeof PipelineDeleted>;
