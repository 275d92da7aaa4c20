import type { ManifestBody } from "../../../http/bodies/manifest-body.ts";
import type { Problem } from "../../../kit/app-error.ts";
import { redacted } from "../../../kit/secrets/secret-registry.ts";
import type { AgentManifest } from "../../../manifest/agent/agent.ts";
import type { Sender } from "../../../manifest/senders/sender.ts";
import { readSent, type Sent } from "../manifests/read-sent.ts";
import type { AgentLibrary } from "./agent-library.ts";

/** An agent's manifest received through the API, and its text in YAML. */
export type SentManifest = Sent<AgentManifest>;

/** Checks an agent's manifest from a request; see `readSent`. */
export const readSentManifest = (
  library: AgentLibrary,
  body: ManifestBody,
  sender: Sender,
): Promise<SentManifest> =>
  readSent(library.kind, body, sender, (manifest) => [
    ...library.vet(manifest, sender),
    ...maskedSecrets(manifest.spec),
  ]);

/** The mask shown in place of a secret can't be sent back as the secret. */
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
