import type { ManifestCheck } from "../../../contracts/daemon/agents.ts";
import type { ManifestBody } from "../../../http/bodies/manifest-body.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Sender } from "../../../manifest/senders/sender.ts";
import type { DaemonDeps } from "../deps.ts";
import { readSentManifest } from "./sent-manifest.ts";

/** Checks whether the agent would be accepted as a new agent or as a replacement. Changes nothing. */
export async function validateAgent(
  { library }: DaemonDeps,
  body: ManifestBody,
  sender: Sender,
): Promise<ManifestCheck> {
  try {
    const sent = await readSentManifest(library, body, sender);
    await library.dryRun(sent);
    return { valid: true, name: sent.manifest.metadata.name, problems: [] };
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== "invalid_manifest") throw thrown;
    return { valid: false, problems: thrown.details.problems ?? [] };
  }
}
