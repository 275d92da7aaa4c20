import type { Problem } from "../kit/app-error.ts";
import type { RuntimeFile } from "../manifest/runtime-file.ts";

/** What runtime.yaml may declare and this version can't do yet: the start is refused, so that nothing is ignored. */
export function missingFromRuntimeFile({ spec }: RuntimeFile): Problem[] {
  const declared: [path: string, isDeclared: boolean][] = [
    ["spec.services.platform", spec.services?.platform !== undefined],
    ["spec.services.gateway", spec.services?.gateway !== undefined],
    ["spec.services.cloud", spec.services?.cloud !== undefined],
    ["spec.services.translator", spec.services?.translator !== undefined],
    ["spec.mesh", spec.mesh !== undefined && spec.mesh.enabled !== false],
    ["spec.peers", spec.peers !== undefined],
    ["spec.network", spec.network !== undefined],
    ["spec.vectors", spec.vectors !== undefined],
    ["spec.observability.collector", (spec.observability?.collector ?? "internal") !== "internal"],
    ["spec.observability.otlp", spec.observability?.otlp !== undefined],
    ["spec.tenants", spec.tenants !== undefined],
    ["spec.platform", spec.platform !== undefined],
    ["spec.cloud", spec.cloud !== undefined],
    ["spec.gateway", spec.gateway !== undefined],
    ["spec.translator", spec.translator !== undefined],
  ];
  return declared.flatMap(([path, isDeclared]) =>
    isDeclared ? [{ path, message: "is not available in this version; remove it" }] : [],
  );
}
