import type { ManifestBody } from "../../../http/bodies/manifest-body.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Sender } from "../../../manifest/senders/sender.ts";
import type { DaemonDeps } from "../deps.ts";
import type { CatalogEntry } from "./agent-catalog.ts";
import { readSentManifest } from "./sent-manifest.ts";

/** Creates an agent. Throws `agent_exists` if the name is taken, even by an agent that failed to load. */
export async function createAgent(
  { library, paused }: DaemonDeps,
  body: ManifestBody,
  sender: Sender,
): Promise<CatalogEntry> {
  const sent = await readSentManifest(library, body, sender);
  const { name } = sent.manifest.metadata;
  const { entry } = await library.put(sent, (present) => {
    if (present === undefined) return;
    throw new AppError("conflict", "agent_exists", `There is an agent named ${name} already.`, {
      details: { hint: `PUT /v1/agents/${name} replaces it.` },
    });
  });
  // An earlier agent with this name may have been deleted while it was paused.
  paused.set(name, false);
  return entry;
}
