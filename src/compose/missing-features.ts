import type { Problem } from "../kit/app-error.ts";
import type { RuntimeFile } from "../manifest/runtime-file.ts";

type Spec = RuntimeFile["spec"];

/** The keys of runtime.yaml that this version can't honour yet, and how to see that one is used. */
export const missingRuntimeKeys: Readonly<Record<string, (spec: Spec) => boolean>> = {
  "spec.services.platform": ({ services }) => services?.platform !== undefined,
  "spec.services.gateway": ({ services }) => services?.gateway !== undefined,
  "spec.services.cloud": ({ services }) => services?.cloud !== undefined,
  "spec.services.translator": ({ services }) => services?.translator !== undefined,
  "spec.mesh": ({ mesh }) => mesh !== undefined && mesh.enabled !== false,
  "spec.peers": ({ peers }) => peers !== undefined,
  "spec.network": ({ network }) => network !== undefined,
  "spec.vectors": ({ vectors }) => vectors !== undefined,
  "spec.observability.collector": ({ observability }) =>
    (observability?.collector ?? "internal") !== "internal",
  "spec.observability.otlp": ({ observability }) => observability?.otlp !== undefined,
  "spec.tenants": ({ tenants }) => tenants !== undefined,
  "spec.platform": ({ platform }) => platform !== undefined,
  "spec.cloud": ({ cloud }) => cloud !== undefined,
  "spec.gateway": ({ gateway }) => gateway !== undefined,
  "spec.translator": ({ translator }) => translator !== undefined,
};

/** A problem for each of them that the file uses: the start is refused, so that nothing is ignored. */
export function missingFromRuntimeFile({ spec }: RuntimeFile): Problem[] {
  return Object.entries(missingRuntimeKeys).flatMap(([path, isUsed]) =>
    isUsed(spec) ? [{ path, message: "is not available in this version; remove it" }] : [],
  );
}
