import type { AgentManifest } from "../../../manifest/agent/agent.ts";
import type { Sender } from "../../../manifest/senders/sender.ts";
import type { AgentLife } from "./agent-life.ts";
import type { AgentVersion, Fault } from "./agent-version.ts";

/** Source of an agent as last read: a file or a manifest sent through the API. */
export interface AgentSource {
  /** Unique key of the source. */
  key: string;
  /** Path relative to the workspace; undefined for an agent that was sent through the API and lives in memory. */
  file: string | undefined;
  /** Name that identifies the agent while no version of it can run. */
  name: string;
  sender: Sender;
  /** Text as stored, before variables are substituted; undefined if it could not be read. */
  text: string | undefined;
  /** Manifest parsed from the text; undefined if the text is not a valid manifest. */
  manifest: AgentManifest | undefined;
  /** Runnable version; undefined if none can be built, in which case `fault` says why. */
  version: AgentVersion | undefined;
  fault: Fault | undefined;
  life: AgentLife;
}
