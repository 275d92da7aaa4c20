import type { Problem } from "../../kit/app-error.ts";
import type { RuntimeFile } from "../../manifest/files/runtime-file.ts";
import { closedTools, openableTools } from "../../manifest/senders/policy-terms.ts";

type Spec = RuntimeFile["spec"];

/**
 * Returns true for a closed tool that can't be confined to a tenant, because it needs a mail server or documents, which tenants don't have.
 */
const isNotOpenable = (name: string) =>
  closedTools.some((closed) => closed === name) && !openableTools.includes(name);

/** Keys of runtime.yaml that this version doesn't support yet, with the test for their use. */
export const missingRuntimeKeys: Readonly<Record<string, (spec: Spec) => boolean>> = {
  "spec.peers": ({ peers }) => peers !== undefined,
};

/** Returns a problem for each unsupported key in the file. The start is refused, so no key is ignored. */
export function missingFromRuntimeFile({ spec }: RuntimeFile): Problem[] {
  const missing = Object.entries(missingRuntimeKeys).flatMap(([path, isUsed]) =>
    isUsed(spec) ? [{ path, message: "is not available in this version; remove it" }] : [],
  );
  return [...missing, ...toolsNotOpenable(spec)];
}

/** Returns a problem for each tool that is opened to tenants but can't be confined to one. */
function toolsNotOpenable({ tenants }: Spec): Problem[] {
  return (tenants?.tools ?? []).flatMap((name, index) =>
    isNotOpenable(name)
      ? [
          {
            path: `spec.tenants.tools[${index}]`,
            message: `can't be opened to tenants in this version: ${name}; these can: ${openableTools.join(", ")}`,
          },
        ]
      : [],
  );
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns a problem for each variable that requests an unsupported feature. The start is refused. An empty variable counts as not set. */
export function missingFromEnvironment({ PLATFORM_ROLE }: Environment): Problem[] {
  const problems: Problem[] = [];
  if (PLATFORM_ROLE && PLATFORM_ROLE !== "full") {
    problems.push({ path: "PLATFORM_ROLE", message: "must be full: this version has no other role" });
  }
  return problems;
}

/** Variables of the mesh that have no effect while it is off. */
const meshVariables = ["PLATFORM_MESH_SECRET", "PLATFORM_MESH_SEEDS", "PLATFORM_NODE_NAME"];

/** Returns a warning for each variable that is set and has no effect. */
export const unusedVariables = (environment: Environment, hasMesh: boolean): string[] =>
  meshVariables
    .filter((name) => !hasMesh && environment[name])
    .map((name) => `${name} is set, but the mesh is off: set PLATFORM_MESH_ENABLED=true to use it.`);
