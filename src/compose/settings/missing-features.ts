import type { Problem } from "../../kit/app-error.ts";
import { type RuntimeFile, serviceNames } from "../../manifest/files/runtime-file.ts";
import { closedTools, openableTools } from "../../manifest/senders/policy-terms.ts";
import type { ServiceName } from "./service-settings.ts";
import { asFlag } from "./setting.ts";

type Spec = RuntimeFile["spec"];

/**
 * Returns true for a closed tool that can't be confined to a tenant, because it needs a mail server or documents, which tenants don't have.
 */
const isNotOpenable = (name: string) =>
  closedTools.some((closed) => closed === name) && !openableTools.includes(name);

/** Keys of runtime.yaml besides services that this version doesn't support yet, with the test for their use. */
const missingKeys: Readonly<Record<string, (spec: Spec) => boolean>> = {
  "spec.mesh": ({ mesh }) => mesh !== undefined && mesh.enabled !== false,
  "spec.peers": ({ peers }) => peers !== undefined,
};

/** Returns the keys of runtime.yaml that this version doesn't support yet, with the test for their use; `known` are its services. */
export function missingRuntimeKeys(
  known: readonly ServiceName[],
): Readonly<Record<string, (spec: Spec) => boolean>> {
  const services = missingServices(known).map(
    (name) => [`spec.services.${name}`, (spec: Spec) => spec.services?.[name] !== undefined] as const,
  );
  return { ...Object.fromEntries(services), ...missingKeys };
}

const missingServices = (known: readonly ServiceName[]) =>
  serviceNames.filter((name) => !known.includes(name));

/** Returns a problem for each unsupported key in the file. The start is refused, so no key is ignored. */
export function missingFromRuntimeFile({ spec }: RuntimeFile, known: readonly ServiceName[]): Problem[] {
  const missing = Object.entries(missingRuntimeKeys(known)).flatMap(([path, isUsed]) =>
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
export function missingFromEnvironment({ PLATFORM_ROLE, PLATFORM_MESH_ENABLED }: Environment): Problem[] {
  const problems: Problem[] = [];
  if (PLATFORM_ROLE && PLATFORM_ROLE !== "full") {
    problems.push({ path: "PLATFORM_ROLE", message: "must be full: this version has no other role" });
  }
  if (PLATFORM_MESH_ENABLED && asFlag(PLATFORM_MESH_ENABLED) !== false) {
    problems.push({ path: "PLATFORM_MESH_ENABLED", message: "must be false: this version has no mesh" });
  }
  return problems;
}

/** Variables of future features that environments may already contain. They have no effect, and each start logs a warning. */
const unused = ["PLATFORM_MESH_SECRET", "PLATFORM_MESH_SEEDS", "PLATFORM_NODE_NAME"];

/** Returns a warning for each such variable that is set. */
export function unusedVariables(environment: Environment, known: readonly ServiceName[]): string[] {
  const ports = missingServices(known).map((name) => `ARGOSY_${name.toUpperCase()}_PORT`);
  return [...ports, ...unused]
    .filter((name) => environment[name])
    .map((name) => `${name} is set, and this version does not use it.`);
}
