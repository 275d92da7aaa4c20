import type { Problem } from "../../kit/app-error.ts";
import type { AgentManifest } from "../../manifest/agent.ts";

type Spec = AgentManifest["spec"];

/** The keys of a manifest that this version can't honour yet, and how to see that one is used. */
export const missingKeys: Readonly<Record<string, (spec: Spec) => boolean>> = {
  "spec.channels": ({ channels }) => channels.length > 0,
};

/** A problem for each of them that a manifest uses: such an agent is refused, so that nothing is ignored. */
export function missingFeatures({ spec }: AgentManifest): Problem[] {
  return Object.entries(missingKeys).flatMap(([path, isUsed]) =>
    isUsed(spec) ? [{ path, message: "is not available in this version" }] : [],
  );
}
