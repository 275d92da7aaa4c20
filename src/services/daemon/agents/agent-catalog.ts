import type { AgentStatus } from "../../../contracts/daemon/agents.ts";
import type { RunnableAgent } from "../../../engine/run/runnable-agent.ts";
import { AppError } from "../../../kit/app-error.ts";
import { didYouMean } from "../../../kit/did-you-mean.ts";
import type { AgentManifest } from "../../../manifest/agent.ts";
import type { Fault } from "./agent-version.ts";
import type { PausedAgents } from "./paused-agents.ts";

/** One agent, or what became of it. */
export interface CatalogEntry {
  name: string;
  /** Relative to the workspace; undefined: it was sent and lives in memory. */
  file?: string | undefined;
  /** The newest text, its variables not put in; undefined when it could not be read. */
  text?: string | undefined;
  /** What runs: the last version that could be built. */
  agent?: RunnableAgent | undefined;
  manifest?: AgentManifest | undefined;
  /** Why the newest version was refused, or who else has the name. */
  fault?: Fault | undefined;
  /** The keys of the sources with this name, the one that serves first. */
  sources: readonly string[];
}

/** The loaded agents by name. A broken change keeps the last good version running and is reported beside it. */
export class AgentCatalog {
  readonly #paused: PausedAgents;
  readonly #listeners: (() => void)[] = [];
  #entries: ReadonlyMap<string, CatalogEntry> = new Map();

  constructor(paused: PausedAgents) {
    this.#paused = paused;
  }

  /** Takes the agents as they are from now on. */
  replace(entries: readonly CatalogEntry[]): void {
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
    for (const tell of this.#listeners) tell();
  }

  /** Calls `listener` whenever other agents may be there, run or be paused than before. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
    this.#paused.onChange(listener);
  }

  /** Every entry, in the order of their names. */
  list(): CatalogEntry[] {
    return [...this.#entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  findEntry(name: string): CatalogEntry | undefined {
    return this.#entries.get(name);
  }

  /** The entry, or `agent_not_found` with the nearest name. */
  getEntry(name: string): CatalogEntry {
    const entry = this.#entries.get(name);
    if (entry !== undefined) return entry;
    const near = didYouMean(name, [...this.#entries.keys()]);
    const hint = near === undefined ? "`argosy agents` lists the loaded agents." : `Did you mean ${near}?`;
    throw new AppError("not_found", "agent_not_found", `There is no agent named ${JSON.stringify(name)}.`, {
      details: { hint },
    });
  }

  /** The agent to run; `agent_not_found`, `agent_paused`, or `agent_failed` when it could never be built. */
  get(name: string): RunnableAgent {
    const entry = this.getEntry(name);
    if (this.#paused.has(name)) throw agentPaused(name);
    return this.#loaded(entry);
  }

  /** As `get`, also when the agent is paused: for what is no run of it. */
  getLoaded(name: string): RunnableAgent {
    return this.#loaded(this.getEntry(name));
  }

  /** As `get`, and undefined when there is no agent of that name. */
  find(name: string): RunnableAgent | undefined {
    return this.#entries.has(name) ? this.get(name) : undefined;
  }

  statusOf({ name, agent }: CatalogEntry): AgentStatus {
    if (this.#paused.has(name)) return "paused";
    return agent === undefined ? "failed" : "ready";
  }

  /** Agents that have something to run, the paused ones among them. */
  get loadedCount(): number {
    let count = 0;
    for (const entry of this.#entries.values()) if (entry.agent !== undefined) count++;
    return count;
  }

  /** Agents whose newest version was refused, whether an older one serves or none. */
  get failedCount(): number {
    let count = 0;
    for (const entry of this.#entries.values()) if (entry.fault !== undefined) count++;
    return count;
  }

  #loaded({ name, agent, file, fault }: CatalogEntry): RunnableAgent {
    if (agent !== undefined) return agent;
    const mend = file === undefined ? "Send it again." : `Mend ${file}; it is read again when it changes.`;
    throw new AppError(
      "unavailable",
      "agent_failed",
      `Agent ${name} could not be loaded: ${fault?.message ?? ""}`,
      { details: { hint: mend, problems: fault?.problems ?? [] } },
    );
  }
}

function agentPaused(name: string): AppError {
  return new AppError("conflict", "agent_paused", `Agent ${name} is paused and takes no runs.`, {
    details: { hint: `POST /v1/agents/${name}/deploy puts it back to work.` },
  });
}
