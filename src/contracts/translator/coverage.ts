import { type Static, Type } from "@sinclair/typebox";
import { Coverage, SpecKind } from "./translation.ts";

export const CoverageMatrix = Type.Object({
  provider: Type.String(),
  title: Type.String({ description: "The cloud's name." }),
  sections: Type.Array(
    Type.Object({
      kind: SpecKind,
      section: Type.String(),
      coverage: Coverage,
      resources: Type.Array(Type.String(), { description: "Types of the resources that it goes into." }),
      detail: Type.String({ description: "What is lost, and what a person can do; empty if nothing is." }),
    }),
  ),
});
export type CoverageMatrix = Static<typeof CoverageMatrix>;
