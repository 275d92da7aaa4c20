import type { Problem } from "../../kit/app-error.ts";
import type { RuntimeFile } from "../../manifest/files/runtime-file.ts";
import { closedTools, openableTools } from "../../manifest/senders/policy-terms.ts";

type Spec = RuntimeFile["spec"];

/**
 * Returns true for a closed tool that can't be confined to a tenant, because it needs a mail server or documents, which tenants don't have.
 */
const isNotOpenable = (name: string) =>
  closedTools.some((closed) => closed === name) && !openableTools.includes(name);

/** Returns a problem for each setting of the file that can't be honoured. The start is refused, so no key is ignored. */
export const missingFromRuntimeFile = ({ spec }: RuntimeFile): Problem[] => toolsNotOpenable(spec);

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

/** Variables of the mesh that have no effect while it is off. */
const meshVariables = ["PLATFORM_MESH_SEEDS"];

/** Returns a warning for each variable that is set and has no effect. */
export const unusedVariables = (environment: Environment, hasMesh: boolean): string[] =>
  meshVariables
    .filter((name) => !hasMesh && environment[name])
    .map((name) => `${name} is set, but the mesh is off: set PLATFORM_MESH_ENABLED=true to use it.`);
