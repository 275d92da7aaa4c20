import { type Static, Type } from "@sinclair/typebox";
import { Coverage, SpecKind } from "./translation.ts";

export const CoverageMatrix = Type.Object({
  provider: Type.String(),
  title: Type.String({ description: "Name of the cloud." }),
  sections: Type.Array(
    Type.Object({
      kind: SpecKind,
      section: Type.String(),
      coverage: Coverage,
      resources: Type.Array(Type.String(), {
        description: "Types of the resources created from the section.",
      }),
      detail: Type.String({
        description: "Description of the loss and possible workarounds. Empty if nothing is lost.",
      }),
    }),
  ),
});
export type CoverageMatrix = Static<typeof CoverageMatrix>;
