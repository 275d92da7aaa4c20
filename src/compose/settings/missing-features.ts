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

/** Parts of the configuration that settings may be for. */
interface Enabled {
  hasMesh: boolean;
  exportsTraces: boolean;
}

/** Returns a warning for each setting that has no effect, because nothing enables the part that it is for. */
export const unusedSettings = (
  environment: Environment,
  { spec }: RuntimeFile,
  enabled: Enabled,
): string[] => [
  ...(enabled.hasMesh ? [] : unusedByMesh(environment, spec)),
  ...(enabled.exportsTraces ? [] : unusedByExport(environment, spec)),
];

/** Settings of the file count as chosen where `enabled` is given: the operator has turned the part off. */
function unusedByMesh(environment: Environment, { mesh = {} }: Spec): string[] {
  const isTurnedOff = mesh.enabled !== undefined || Boolean(environment.PLATFORM_MESH_ENABLED);
  const { enabled, node_name: name, ...rest } = mesh;
  return [
    ...(environment.PLATFORM_MESH_SEEDS ? ["PLATFORM_MESH_SEEDS"] : []),
    ...(isTurnedOff ? [] : pathsOf("spec.mesh", rest)),
  ].map((name) => `${name} is set, but the mesh is off: set PLATFORM_MESH_ENABLED=true to use it.`);
}

const tracesEndpoint = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

function unusedByExport(environment: Environment, { observability }: Spec): string[] {
  const { enabled, ...rest } = observability?.otlp ?? {};
  if (enabled !== undefined) return [];
  return [
    ...(environment[tracesEndpoint] ? [tracesEndpoint] : []),
    ...pathsOf("spec.observability.otlp", rest),
  ].map(
    (name) =>
      `${name} is set, but traces are not exported: set spec.observability.otlp.enabled in runtime.yaml to true.`,
  );
}

const pathsOf = (path: string, settings: object): string[] =>
  Object.entries(settings).flatMap(([key, value]) => (value === undefined ? [] : [`${path}.${key}`]));
