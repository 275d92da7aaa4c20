import type { Problem } from "../../kit/app-error.ts";
import type { AgentManifest } from "../../manifest/agent/agent.ts";

type Spec = AgentManifest["spec"];

/** Manifest keys that this version does not support, with a test for their use. */
export const missingKeys: Readonly<Record<string, (spec: Spec) => boolean>> = {
  "spec.channels": ({ channels }) => channels.length > 0,
};

/** A problem for each unsupported key that a manifest uses. The agent is refused, so that no setting is silently ignored. */
export function missingFeatures({ spec }: AgentManifest): Problem[] {
  return Object.entries(missingKeys).flatMap(([path, isUsed]) =>
    isUsed(spec) ? [{ path, message: "is not available in this version" }] : [],
  );
}
