import { AppError } from "../../../../kit/app-error.ts";
import type { Clock } from "../../../../kit/clock.ts";
import { serialQueue } from "../../../../kit/concurrency/serial-queue.ts";
import { checksumOf } from "../../../../kit/json/canonical-json.ts";
import type { Logger } from "../../../../kit/log.ts";
import type { Storage } from "../../../../storage/storage.ts";
import { operatorTenant } from "../../operator-tenant.ts";
import type { AgentCatalog, CatalogEntry } from "../agent-catalog.ts";
import { manifestText } from "../read-manifest.ts";
import type { HistoryTables } from "./schema.ts";
import { addManifest, deleteManifests, findManifest, type ListedManifest, listManifests } from "./store.ts";

export interface HistoryParts {
  storage: Storage<HistoryTables>;
  catalog: AgentCatalog;
  clock: Clock;
  log: Logger;
  /** Masks the secrets that this process knows. */
  mask: (text: string) => string;
}

/** A version's text. */
export interface KeptManifest extends ListedManifest {
  text: string;
}

/**
 * Versions of the agents' manifests as the daemon loaded them. A version that could not run is not kept: files are often saved unfinished.
 * Secrets are masked before anything is stored.
 */
export class ManifestHistory {
  readonly #parts: HistoryParts;
  /** Text of each agent's newest version that was handed to the queue. */
  readonly #noted = new Map<string, string>();
  readonly #inTurn = serialQueue();

  constructor(parts: HistoryParts) {
    this.#parts = parts;
    parts.catalog.onChange(() => this.#note());
  }

  /** Lists an agent's versions, newest first. */
  list(agent: string): Promise<ListedManifest[]> {
    const { storage } = this.#parts;
    return this.#inTurn(() => listManifests(storage.read, storage.tables, keyOf(agent)));
  }

  /** Throws `version_not_found`. */
  get(agent: string, number: number): Promise<KeptManifest> {
    const { storage } = this.#parts;
    return this.#inTurn(async () => {
      const row = await findManifest(storage.read, storage.tables, keyOf(agent), number);
      if (row !== undefined) return { ...row, text: JSON.parse(row.manifest) as string };
      throw new AppError("not_found", "version_not_found", `${agent} has no version ${number}.`, {
        details: { hint: `GET /v1/agents/${agent}/versions lists the versions that are kept.` },
      });
    });
  }

  /** Checksum of an agent's present manifest, as its version has it. */
  checksumOf(entry: CatalogEntry): string | undefined {
    return entry.text === undefined ? undefined : checksumOf(manifestText(entry, this.#parts.mask));
  }

  /** Deletes the versions of an agent. */
  forget(agent: string): Promise<void> {
    const { storage } = this.#parts;
    this.#noted.delete(agent);
    return this.#inTurn(() => storage.transact((tx) => deleteManifests(tx, storage.tables, keyOf(agent))));
  }

  /** Stores what has changed. A storage that is down costs versions, but no agent. */
  #note(): void {
    const { catalog, clock, log } = this.#parts;
    const entries = catalog.list();
    const changed = entries.filter(
      ({ name, text, fault }) => text !== undefined && fault === undefined && this.#noted.get(name) !== text,
    );
    const names = new Set(entries.map(({ name }) => name));
    for (const name of this.#noted.keys()) if (!names.has(name)) this.#noted.delete(name);
    if (changed.length === 0) return;
    for (const { name, text } of changed) if (text !== undefined) this.#noted.set(name, text);
    const at = clock.now();
    void this.#inTurn(() => this.#store(changed, at)).catch((thrown: unknown) => {
      // The next change of the agent is compared with what is stored.
      for (const { name } of changed) this.#noted.delete(name);
      log.warn("agent.version_not_kept", { agents: changed.map(({ name }) => name), error: String(thrown) });
    });
  }

  async #store(entries: readonly CatalogEntry[], at: Date): Promise<void> {
    const { storage, mask } = this.#parts;
    const versions = entries.map((entry) => {
      const manifest = manifestText(entry, mask);
      return {
        ...keyOf(entry.name),
        origin: entry.origin ?? ("file" as const),
        manifest: JSON.stringify(manifest),
        bytes: Buffer.byteLength(manifest),
        checksum: checksumOf(manifest),
        masked: manifest !== entry.text,
        at,
      };
    });
    await storage.transact(async (tx) => {
      for (const version of versions) await addManifest(tx, storage.tables, version);
    });
  }
}

const keyOf = (agent: string) => ({ tenant: operatorTenant, agent });
