import type { ManifestOrigin } from "../../../contracts/daemon/agent-versions.ts";
import type { AgentStatus } from "../../../contracts/daemon/agents.ts";
import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import { AppError } from "../../../kit/app-error.ts";
import { asSentence } from "../../../kit/text/as-sentence.ts";
import { didYouMean } from "../../../kit/text/did-you-mean.ts";
import type { AgentManifest } from "../../../manifest/agent/agent.ts";
import type { ManifestFault } from "../manifests/manifest-fault.ts";
import { fingerprintOf } from "./fingerprint.ts";
import type { HeldCanary } from "./gated-versions.ts";
import type { PausedAgents } from "./paused-agents.ts";

/** A version that could run, and the reasons of the release gate against it. */
export interface CandidateVersion {
  agent: RunnableAgent;
  reasons: readonly string[];
}

/** A named agent with its manifest, its runnable version and its fault, if any. */
export interface CatalogEntry {
  name: string;
  /** Path relative to the workspace; undefined for an agent that was sent over the API and lives in memory. */
  file?: string | undefined;
  /** Newest manifest text, before variables are substituted; undefined if the file could not be read. */
  text?: string | undefined;
  /** Content of the text; undefined if it is not a valid manifest. */
  document?: unknown;
  /** Last version that could be built. Runs use it. */
  agent?: RunnableAgent | undefined;
  manifest?: AgentManifest | undefined;
  /** Reason why the newest version was refused, or the conflict with another agent of the same name. */
  fault?: ManifestFault | undefined;
  /** Place where the text was saved; absent for a file's. */
  origin?: ManifestOrigin | undefined;
  /** Version that the release gate keeps out of service. */
  candidate?: CandidateVersion | undefined;
  /** Version that answers a share of the sessions. */
  canary?: HeldCanary | undefined;
  /** Version that was in service while the last canary was open. */
  former?: RunnableAgent | undefined;
  /** Keys of the sources with this name. The first one serves. */
  sources: readonly string[];
}

/** Loaded agents by name. If a change is broken, the last good version keeps running and the entry reports the fault. */
export class AgentCatalog {
  /** Faults of files that agents depend on, such as providers.yaml, each with its file's name. */
  faultsElsewhere: () => readonly string[] = () => [];
  #look: () => Promise<unknown> = async () => {};
  readonly #paused: PausedAgents;
  readonly #listeners: (() => void)[] = [];
  #entries: ReadonlyMap<string, CatalogEntry> = new Map();

  constructor(paused: PausedAgents) {
    this.#paused = paused;
  }

  /** Names what else agents are built from. */
  dependOn(faultsElsewhere: () => readonly string[]): void {
    this.faultsElsewhere = faultsElsewhere;
  }

  /** Names what is called before an agent is refused: a file may have come or been corrected since the last look. */
  lookFirst(look: () => Promise<unknown>): void {
    this.#look = look;
  }

  /** Replaces all entries. */
  replace(entries: readonly CatalogEntry[]): void {
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` when agents are added, removed, reloaded, paused or resumed. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
    this.#paused.onChange(listener);
  }

  /** All entries, sorted by name. */
  list(): CatalogEntry[] {
    return [...this.#entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  findEntry(name: string): CatalogEntry | undefined {
    return this.#entries.get(name);
  }

  /** Like `findEntry`, after a look at the files if no agent with that name can run. */
  async findFresh(name: string): Promise<CatalogEntry | undefined> {
    if (this.#entries.get(name)?.agent === undefined) await this.#look();
    return this.#entries.get(name);
  }

  /** Returns the entry of `findFresh`, or throws `agent_not_found` with the nearest name as a hint. */
  async getEntry(name: string): Promise<CatalogEntry> {
    return (await this.findFresh(name)) ?? this.entryNow(name);
  }

  /** Like `getEntry`, for callers that have looked. */
  entryNow(name: string): CatalogEntry {
    const entry = this.#entries.get(name);
    if (entry !== undefined) return entry;
    const near = didYouMean(name, [...this.#entries.keys()]);
    const hint = near === undefined ? "`argosy agents` lists the loaded agents." : `Did you mean ${near}?`;
    throw new AppError("not_found", "agent_not_found", `There is no agent named ${JSON.stringify(name)}.`, {
      details: { hint },
    });
  }

  /** Returns the agent to run. Throws `agent_not_found`, `agent_paused`, or `agent_failed` if no version could be built. */
  async get(name: string): Promise<RunnableAgent> {
    await this.findFresh(name);
    return this.getNow(name);
  }

  /** Like `get`, for callers that have looked. */
  getNow(name: string): RunnableAgent {
    const entry = this.entryNow(name);
    if (this.#paused.has(name)) throw agentPaused(name);
    return this.#loaded(entry);
  }

  /** Returns the version with a fingerprint: the one in service, the candidate, the canary, or the one before it. Throws `agent_version_changed` if it is neither. */
  getVersion(name: string, fingerprint: string): RunnableAgent {
    const { agent, candidate, canary, former } = this.entryNow(name);
    if (this.#paused.has(name)) throw agentPaused(name);
    const version = [agent, candidate?.agent, canary?.version.agent, former].find(
      (one) => one && fingerprintOf(one) === fingerprint,
    );
    if (version !== undefined) return version;
    throw new AppError("conflict", "agent_version_changed", `Agent ${name} has no version ${fingerprint}.`, {
      details: { hint: `GET /v1/agents/${name} shows the versions that can run. Run the eval again.` },
    });
  }

  /** Like `get`, but also returns paused agents, for reads that start no run. */
  async getLoaded(name: string): Promise<RunnableAgent> {
    return this.#loaded(await this.getEntry(name));
  }

  /** Like `get`, without a look at the files; returns undefined if no agent has that name. */
  find(name: string): RunnableAgent | undefined {
    return this.#entries.has(name) ? this.getNow(name) : undefined;
  }

  statusOf({ name, agent }: CatalogEntry): AgentStatus {
    if (this.#paused.has(name)) return "paused";
    return agent === undefined ? "failed" : "ready";
  }

  /** Number of agents with a runnable version, including paused ones. */
  get loadedCount(): number {
    let count = 0;
    for (const entry of this.#entries.values()) if (entry.agent !== undefined) count++;
    return count;
  }

  /** Number of agents whose newest version was refused, including those that still serve an older one. */
  get failedCount(): number {
    let count = 0;
    for (const entry of this.#entries.values()) if (entry.fault !== undefined) count++;
    return count;
  }

  #loaded({ name, agent, file, fault }: CatalogEntry): RunnableAgent {
    if (agent !== undefined) return agent;
    const others = this.faultsElsewhere();
    const own = file === undefined ? "Send it again." : `Fix ${file}; Argosy reloads it when it changes.`;
    const mend =
      others.length === 0
        ? own
        : `First correct ${asSentence(others.join("; "))} If the agent still fails: ${own}`;
    throw new AppError(
      "unavailable",
      "agent_failed",
      `Agent ${name} could not be loaded: ${fault?.message ?? ""}`,
      { details: { hint: mend, problems: fault?.problems ?? [] } },
    );
  }
}

function agentPaused(name: string): AppError {
  return new AppError("conflict", "agent_paused", `Agent ${name} is paused and accepts no runs.`, {
    details: { hint: `POST /v1/agents/${name}/deploy resumes it.` },
  });
}
