import type { ManifestBody } from "../../../http/manifest-body.ts";
import type { Problem } from "../../../kit/app-error.ts";
import { redacted } from "../../../kit/secret-registry.ts";
import type { AgentManifest } from "../../../manifest/agent.ts";
import type { ManifestKind } from "../../../manifest/manifest-kind.ts";
import { modelBlocks } from "../../../manifest/model-blocks.ts";
import { readSent, type Sent } from "../manifests/read-sent.ts";

/** An agent's manifest that somebody sent, and its text in YAML. */
export type SentManifest = Sent<AgentManifest>;

/** Checks an agent's manifest that somebody sent; see `readSent`. */
export const readSentManifest = (kind: ManifestKind<AgentManifest>, body: ManifestBody): SentManifest =>
  readSent(kind, body, reservedForFiles);

/**
 * What a manifest could use to reach this machine's environment or to start programs on it: whoever may call the API may
 * not do that. `${…}` is refused by the reading itself.
 */
function reservedForFiles({ spec }: AgentManifest): Problem[] {
  const programs = spec.tools.flatMap((tool, index) =>
    tool.type === "mcp" && tool.config.transport === "stdio"
      ? [{ path: `spec.tools[${index}].config.transport`, message: `starts a program; ${onlyFiles}` }]
      : [],
  );
  const local = spec.tools.flatMap((tool, index) =>
    tool.type === "mcp" && tool.config.allow_localhost
      ? [{ path: `spec.tools[${index}].config.allow_localhost`, message: `opens this machine; ${onlyFiles}` }]
      : [],
  );
  const keys = modelBlocks(spec).flatMap(([path, { endpoint, api_key_env }]) =>
    endpoint !== undefined && api_key_env !== undefined
      ? [
          {
            path: `${path}.api_key_env`,
            message: `would send a key of this machine to the endpoint beside it; ${onlyFiles}, or name an entry of providers.yaml`,
          },
        ]
      : [],
  );
  const stores = Object.entries(spec.memory).flatMap(([kind, memory]) =>
    memory?.connection === undefined
      ? []
      : [
          {
            path: `spec.memory.${kind}.connection`,
            message: `opens a database from this machine; ${onlyFiles}, and without it memory is kept where the installation keeps it`,
          },
        ],
  );
  return [...programs, ...local, ...keys, ...stores, ...maskedSecrets(spec)];
}

/** What a manifest shows in place of a secret can't be sent back as one. */
function maskedSecrets({ tools }: AgentManifest["spec"]): Problem[] {
  return tools.flatMap(({ config }, index) =>
    JSON.stringify(config).includes(redacted)
      ? [
          {
            path: `spec.tools[${index}].config`,
            message: `holds "${redacted}", which stands for a secret that is not shown; put the secret itself there`,
          },
        ]
      : [],
  );
}

const onlyFiles = "only files of the operator may do that";
