import type { RunnableAgent } from "../../../engine/run/runnable-agent.ts";
import { AppError, type Problem } from "../../../kit/app-error.ts";
import { didYouMean } from "../../../kit/did-you-mean.ts";
import type { AgentManifest } from "../../../manifest/agent.ts";

/** One agent file, or what became of it. */
export interface CatalogEntry {
  name: string;
  /** Relative to the workspace. */
  file: string;
  /** What runs: the last version that could be built. */
  agent?: RunnableAgent;
  manifest?: AgentManifest;
  /** Why the newest version of the file was refused. */
  fault?: { message: string; problems: Problem[] };
}

/** The loaded agents by name. A broken change to a file keeps the last good version running and is reported beside it. */
export class AgentCatalog {
  #entries: ReadonlyMap<string, CatalogEntry> = new Map();

  /** Takes the outcome of reading all files. */
  replace(entries: readonly CatalogEntry[]): void {
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
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

  /** The agent to run; `agent_not_found`, or `agent_failed` when its file could never be built. */
  get(name: string): RunnableAgent {
    const entry = this.getEntry(name);
    if (entry.agent !== undefined) return entry.agent;
    throw new AppError(
      "unavailable",
      "agent_failed",
      `Agent ${name} could not be loaded: ${entry.fault?.message ?? ""}`,
      {
        details: {
          hint: `Mend ${entry.file}; it is read again when it changes.`,
          problems: entry.fault?.problems ?? [],
        },
      },
    );
  }

  /** Agents that are ready. */
  get readyCount(): number {
    let count = 0;
    for (const entry of this.#entries.values()) if (entry.agent !== undefined) count++;
    return count;
  }

  get failedCount(): number {
    let count = 0;
    for (const entry of this.#entries.values()) if (entry.fault !== undefined) count++;
    return count;
  }
}
