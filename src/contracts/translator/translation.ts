import { type Static, Type } from "@sinclair/typebox";

export const specKinds = ["Agent", "RAGPipeline"] as const;

export const SpecKind = Type.Union([Type.Literal("Agent"), Type.Literal("RAGPipeline")]);
export type SpecKind = Static<typeof SpecKind>;

export const SpecSubmission = Type.Object(
  { yaml: Type.String({ description: "Text of the manifest, at most 1 MiB." }) },
  { additionalProperties: false },
);
export type SpecSubmission = Static<typeof SpecSubmission>;

export const SpecReference = Type.Object({
  kind: SpecKind,
  name: Type.String({ description: "Name of the manifest (`metadata.name`)." }),
});
export type SpecReference = Static<typeof SpecReference>;

export const SpecList = Type.Object({
  specs: Type.Array(SpecReference),
  next_cursor: Type.Optional(
    Type.String({ description: "Cursor for the next page; missing if there is none." }),
  ),
});
export type SpecList = Static<typeof SpecList>;

export const SubmittedSpec = Type.Composite([SpecReference, SpecSubmission]);
export type SubmittedSpec = Static<typeof SubmittedSpec>;

export const CloudResource = Type.Object({
  resource_type: Type.String({
    description: "Resource type as `<cloud_service>.<resource_kind>`, such as `vertex.rag_corpus`.",
  }),
  name: Type.String({ description: "Name of the resource, unique among the spec's resources of this type." }),
  source_section: Type.String({ description: "Manifest section that defines the resource." }),
  config: Type.Record(Type.String(), Type.Unknown(), {
    description:
      "Body of the cloud's REST call. Values that also occur in `bindings` are references: applying the spec replaces them with the IDs of the created resources. `bindings` itself is not sent.",
  }),
});
export type CloudResource = Static<typeof CloudResource>;

export const coverages = ["supported", "emulated", "partial", "unsupported"] as const;

export type Coverage = (typeof coverages)[number];
export const Coverage = Type.Unsafe<Coverage>(
  Type.Union(coverages.map((coverage) => Type.Literal(coverage))),
);

export const Gap = Type.Object({
  section: Type.String({ description: "Manifest section that the gap affects." }),
  coverage: Coverage,
  detail: Type.String({ description: "Description of the loss and possible workarounds." }),
});
export type Gap = Static<typeof Gap>;

export const Translation = Type.Composite([
  SpecReference,
  Type.Object({
    provider: Type.String({ description: "ID of the cloud provider, such as `gcp`." }),
    resources: Type.Array(CloudResource),
    gaps: Type.Array(Gap),
  }),
]);
export type Translation = Static<typeof Translation>;
