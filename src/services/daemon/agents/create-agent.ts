import type { ManifestBody } from "../../../http/manifest-body.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Sender } from "../../../manifest/sender.ts";
import type { DaemonDeps } from "../deps.ts";
import type { CatalogEntry } from "./agent-catalog.ts";
import { readSentManifest } from "./sent-manifest.ts";

/** Takes a new agent; `agent_exists` when its name is taken, by a failed agent as well. */
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
  // An earlier agent of this name may have gone while it was paused.
  paused.set(name, false);
  return entry;
}
