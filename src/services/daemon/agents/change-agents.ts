import type { ManifestOrigin } from "../../../contracts/daemon/agent-versions.ts";
import type { AgentDeleted, ManifestCheck } from "../../../contracts/daemon/agents.ts";
import type { ManifestBody } from "../../../http/bodies/manifest-body.ts";
import type { Call } from "../../../http/call.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Sender } from "../../../manifest/senders/sender.ts";
import type { CatalogEntry } from "./agent-catalog.ts";
import type { AgentLibrary, Taken } from "./agent-library.ts";
import type { PausedAgents } from "./paused-agents.ts";
import { readSentManifest } from "./sent-manifest.ts";

type Admit = (present: CatalogEntry | undefined) => void;

/** Tells the console's requests from those of other clients. */
export const originIn = ({ isConsole }: Pick<Call, "isConsole">): ManifestOrigin =>
  isConsole ? "console" : "api";

/** Agents that the API creates, replaces and deletes. */
export interface ChangeDeps {
  library: AgentLibrary;
  paused: PausedAgents;
}

/** Creates an agent. Throws `agent_exists` if the name is taken, even by an agent that failed to load. */
export async function createAgent(
  { library, paused }: ChangeDeps,
  body: ManifestBody,
  sender: Sender,
  origin: ManifestOrigin = "api",
): Promise<CatalogEntry> {
  const sent = await readSentManifest(library, body, sender);
  const { name } = sent.manifest.metadata;
  const requireNew = (present: CatalogEntry | undefined) => {
    if (present === undefined) return;
    throw new AppError("conflict", "agent_exists", `An agent named ${name} already exists.`, {
      details: { hint: `PUT /v1/agents/${name} replaces it.` },
    });
  };
  const { entry } = await library.put(sent, requireNew, origin);
  // An earlier agent with this name may have been deleted while it was paused.
  paused.set(name, false);
  return entry;
}

/**
 * Creates or replaces the agent with the name in the path. A replaced agent keeps its conversations and stays paused. `admit` may refuse
 * by throwing; it gets the entry that would be replaced.
 */
export async function replaceAgent(
  { library, paused }: ChangeDeps,
  name: string,
  body: ManifestBody,
  sender: Sender,
  { admit = () => {}, origin = "api" }: { admit?: Admit; origin?: ManifestOrigin } = {},
): Promise<Taken> {
  const sent = await readSentManifest(library, body, sender);
  if (sent.manifest.metadata.name !== name) {
    throw sent.refuse([{ path: "metadata.name", message: `must be the name in the path: ${name}` }]);
  }
  const taken = await library.put(sent, admit, origin);
  if (taken.isNew) paused.set(name, false);
  return taken;
}

/** Errors of a manifest that would not be accepted. */
const refusals: ReadonlySet<string> = new Set(["invalid_manifest", "release_refused"]);

/** Checks whether the agent would be accepted as a new agent or as a replacement. Changes nothing. */
export async function validateAgent(
  { library }: ChangeDeps,
  body: ManifestBody,
  sender: Sender,
): Promise<ManifestCheck> {
  try {
    const sent = await readSentManifest(library, body, sender);
    await library.dryRun(sent);
    return { valid: true, name: sent.manifest.metadata.name, problems: [] };
  } catch (thrown) {
    if (!(thrown instanceof AppError) || !refusals.has(thrown.code)) throw thrown;
    return { valid: false, problems: thrown.details.problems ?? [] };
  }
}

/** Deletes an agent, its conversations and its file. A later agent with the same name starts empty. */
export async function deleteAgent(
  { library, paused }: ChangeDeps,
  name: string,
  sender: Sender,
): Promise<AgentDeleted> {
  await library.remove(name, sender);
  paused.set(name, false);
  return { status: "deleted", name };
}
