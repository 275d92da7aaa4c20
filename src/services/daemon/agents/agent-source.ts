import type { AgentManifest } from "../../../manifest/agent.ts";
import type { Sender } from "../../../manifest/sender.ts";
import type { AgentLife } from "./agent-life.ts";
import type { AgentVersion, Fault } from "./agent-version.ts";

/** One place that an agent comes from, as it was read last: a file, or what the API was sent. */
export interface AgentSource {
  /** Tells it from all others. */
  key: string;
  /** Relative to the workspace; undefined: it was sent and lives in memory. */
  file: string | undefined;
  /** What it is known by as long as nothing in it can run. */
  name: string;
  sender: Sender;
  /** As it stands there, its variables not put in; undefined when it could not be read. */
  text: string | undefined;
  /** What the text declares; undefined when it is no manifest. */
  manifest: AgentManifest | undefined;
  /** What can run of it; undefined, with the fault, when nothing can. */
  version: AgentVersion | undefined;
  fault: Fault | undefined;
  life: AgentLife;
}
