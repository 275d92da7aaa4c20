import type { ManifestBody } from "../../../http/bodies/manifest-body.ts";
import type { Sender } from "../../../manifest/senders/sender.ts";
import type { DaemonDeps } from "../deps.ts";
import type { Taken } from "./agent-library.ts";
import { readSentManifest } from "./sent-manifest.ts";

/** Creates or replaces the agent with the name in the path. A replaced agent keeps its conversations and stays paused. */
export async function replaceAgent(
  { library, paused }: DaemonDeps,
  name: string,
  body: ManifestBody,
  sender: Sender,
): Promise<Taken> {
  const sent = await readSentManifest(library, body, sender);
  if (sent.manifest.metadata.name !== name) {
    throw sent.refuse([{ path: "metadata.name", message: `must be the name in the path: ${name}` }]);
  }
  const taken = await library.put(sent, () => {});
  if (taken.isNew) paused.set(name, false);
  return taken;
}
