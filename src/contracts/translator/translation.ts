import { type Static, Type } from "@sinclair/typebox";

export const specKinds = ["Agent", "RAGPipeline"] as const;

export const SpecKind = Type.Union([Type.Literal("Agent"), Type.Literal("RAGPipeline")]);
export type SpecKind = Static<typeof SpecKind>;

export const SpecSubmission = Type.Object(
  { yaml: Type.String({ description: "The manifest's text, at most 1 MiB." }) },
  { additionalProperties: false },
);
export type SpecSubmission = Static<typeof SpecSubmission>;

export const SpecReference = Type.Object({
  kind: SpecKind,
  name: Type.String({ description: "`metadata.name` of the manifest." }),
});
export type SpecReference = Static<typeof SpecReference>;

export const SpecList = Type.Object({ specs: Type.Array(SpecReference) });
export type SpecList = Static<typeof SpecList>;

export const SubmittedSpec = Type.Composite([SpecReference, SpecSubmission]);
export type SubmittedSpec = Static<typeof SubmittedSpec>;

export const CloudResource = Type.Object({
  resource_type: Type.String({
    description: "`<cloud_service>.<resource_kind>`, such as `vertex.rag_corpus`.",
  }),
  name: Type.String({ description: "Unique among the spec's resources of this type." }),
  source_section: Type.String({ description: "The section of the manifest that it comes from." }),
  config: Type.Record(Type.String(), Type.Unknown(), {
    description:
      "The body of the cloud's REST call. Values that are also in `bindings` are references, replaced by the created resource's id when it is applied; `bindings` itself isn't sent.",
  }),
});
export type CloudResource = Static<typeof CloudResource>;

export const coverages = ["supported", "emulated", "partial", "unsupported"] as const;

export type Coverage = (typeof coverages)[number];
export const Coverage = Type.Unsafe<Coverage>(
  Type.Union(coverages.map((coverage) => Type.Literal(coverage))),
);

export const Gap = Type.Object({
  section: Type.String({ description: "A section that the manifest uses." }),
  coverage: Coverage,
  detail: Type.String({ description: "What is lost, and what a person can do about it." }),
});
export type Gap = Static<typeof Gap>;

export const Translation = Type.Composite([
  SpecReference,
  Type.Object({
    provider: Type.String({ description: "The cloud provider's id, such as `gcp`." }),
    resources: Type.Array(CloudResource),
    gaps: Type.Array(Gap),
  }),
]);
export type Translation = Static<typeof Translation>;
