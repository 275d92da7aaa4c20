import type { ManifestBody } from "../../../http/bodies/manifest-body.ts";
import type { Problem } from "../../../kit/app-error.ts";
import { redacted } from "../../../kit/secrets/secret-registry.ts";
import type { AgentManifest } from "../../../manifest/agent/agent.ts";
import type { ManifestKind } from "../../../manifest/schema/manifest-kind.ts";
import type { Sender } from "../../../manifest/senders/sender.ts";
import { readSent, type Sent } from "../manifests/read-sent.ts";

/** An agent's manifest received through the API, and its text in YAML. */
export type SentManifest = Sent<AgentManifest>;

/** The schema of agents' manifests, and the check of what a sender may not use. */
export interface ManifestChecks {
  readonly kind: ManifestKind<AgentManifest>;
  vet(manifest: AgentManifest, sender: Sender): Problem[];
}

/** Checks an agent's manifest from a request; see `readSent`. */
export const readSentManifest = (
  library: ManifestChecks,
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
            message: `contains "${redacted}", a placeholder for a hidden secret; enter the secret itself`,
          },
        ]
      : [],
  );
}
