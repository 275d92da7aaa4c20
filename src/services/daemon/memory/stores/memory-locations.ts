import { and, eq, isNotNull } from "drizzle-orm";
import type { AgentKey, ConversationArchive, SessionKey } from "../../../../engine/memory/conversation.ts";
import { AppError } from "../../../../kit/app-error.ts";
import type { Clock } from "../../../../kit/clock.ts";
import type { Logger } from "../../../../kit/log.ts";
import { sweepCounted } from "../../../../storage/counted-work.ts";
import type { Sealer } from "../../../../storage/sealing/seal.ts";
import type { Storage } from "../../../../storage/storage.ts";
import { forgetConversations } from "../conversations/forget-conversations.ts";
import type { MemoryTables } from "../conversations/schema.ts";

/** A store outside the installation's own storage. `name` contains no secrets. */
export interface MemoryLocation {
  name: string;
  address: string;
}

export interface MemoryLocationsParts {
  storage: Storage<MemoryTables>;
  /** Seals addresses, which may contain passwords. Without it, only places that are in use can be found again. */
  sealer: Sealer | undefined;
  /** Returns the store at a place; undefined if its address is no longer known. */
  storeAt: (name: string, address: string | undefined) => ConversationArchive | undefined;
  clock: Clock;
  log: Logger;
}

/** Number of sessions deleted at once. */
const batchMax = 100;

/**
 * Records the places where each agent has conversations, including former ones, so that deleting the agent deletes them. If a place can't
 * be reached, its conversations are deleted later, and before an agent of the same name uses the place again.
 */
export class MemoryLocations {
  readonly #parts: MemoryLocationsParts;
  /** Agents that have used a place in this process. */
  readonly #recorded = new Map<string, Promise<void>>();

  constructor(parts: MemoryLocationsParts) {
    this.#parts = parts;
  }

  /** Records that the agent uses the place. Returns undefined if that is already known. */
  record(key: AgentKey, place: MemoryLocation): Promise<void> | undefined {
    const id = idOf(key, place.name);
    const known = this.#recorded.get(id);
    if (known !== undefined) return known;
    const recording = this.#record(key, place).catch((thrown) => {
      this.#recorded.delete(id);
      throw thrown;
    });
    this.#recorded.set(id, recording);
    return recording;
  }

  /**
   * Deletes the agent's conversations in every place it used. A place that can't be reached is recorded, and does not prevent the agent's
   * deletion.
   */
  async forget(key: AgentKey): Promise<void> {
    const { storage, clock, log } = this.#parts;
    const { memoryPlaces } = storage.tables;
    const rows = await storage.read
      .select()
      .from(memoryPlaces)
      .where(and(eq(memoryPlaces.tenant, key.tenant), eq(memoryPlaces.agent, key.agent)));
    for (const row of rows) {
      this.#recorded.delete(idOf(key, row.place));
      try {
        await forgetConversations(this.#storeAt(row), key, clock.now());
        await this.#remove(row);
      } catch (thrown) {
        if (!isUnreachable(thrown)) throw thrown;
        log.warn("memory.forgotten_later", { agent: key.agent, place: row.place, err: thrown });
        await storage.transact((tx) =>
          tx.update(memoryPlaces).set({ forgetUpTo: clock.now() }).where(this.#isRow(row)),
        );
      }
    }
  }

  /** Deletes a session in every place that its agent used. Throws `memory_unavailable` if one can't be reached: the caller tries again. */
  async forgetSession({ sessionId, ...key }: SessionKey): Promise<void> {
    const { storage, clock } = this.#parts;
    const { memoryPlaces } = storage.tables;
    const rows = await storage.read
      .select()
      .from(memoryPlaces)
      .where(and(eq(memoryPlaces.tenant, key.tenant), eq(memoryPlaces.agent, key.agent)));
    for (const row of rows) {
      const store = this.#storeAt(row);
      await store.end({ ...key, sessionId }, clock.now());
      await store.clear({ ...key, sessionId });
    }
  }

  /** Retries the deletions that failed. `owner`: id of this process; only one at a time may do this. */
  async catchUp(owner: string, signal: AbortSignal): Promise<void> {
    const { storage, log } = this.#parts;
    const { memoryPlaces } = storage.tables;
    const rows = await storage.read.select().from(memoryPlaces).where(isNotNull(memoryPlaces.forgetUpTo));
    await sweepCounted(storage, rows, {
      kind: "conversation_cleanup",
      owner,
      log,
      signal,
      keyOf: ({ tenant, agent, place }) => `${tenant}/${agent}/${place}`,
      work: async (row) => {
        try {
          await this.#forgetUpTo(row);
          await this.#remove(row);
        } catch (thrown) {
          const level = isUnreachable(thrown) ? "debug" : "warn";
          log[level]("memory.forgotten_later", { agent: row.agent, place: row.place, err: thrown });
        }
      },
    });
  }

  async #record(key: AgentKey, { name: place, address }: MemoryLocation): Promise<void> {
    const { storage, sealer } = this.#parts;
    const { memoryPlaces } = storage.tables;
    const [row] = await storage.read
      .select()
      .from(memoryPlaces)
      .where(this.#isRow({ ...key, place }));
    if (row?.forgetUpTo) await this.#forgetUpTo({ ...row, known: address });
    const sealed = sealer?.seal(address, contextOf({ ...key, place })) ?? null;
    const news = { address: sealed, forgetUpTo: null };
    await storage.transact((tx) =>
      tx
        .insert(memoryPlaces)
        .values({ ...key, place, ...news })
        .onConflictDoUpdate({
          target: [memoryPlaces.tenant, memoryPlaces.agent, memoryPlaces.place],
          set: news,
        }),
    );
  }

  async #forgetUpTo(row: Row & { known?: string }): Promise<void> {
    const { tenant, agent, forgetUpTo } = row;
    if (forgetUpTo === null) return;
    const store = this.#storeAt(row);
    let gone: string[];
    do gone = await store.forgetBefore({ tenant, agent }, forgetUpTo, batchMax);
    while (gone.length === batchMax);
  }

  #storeAt({ known, ...row }: Row & { known?: string }): ConversationArchive {
    const store = this.#parts.storeAt(row.place, known ?? this.#addressIn(row));
    if (store !== undefined) return store;
    throw new AppError("unavailable", "memory_unavailable", `The address of ${row.place} is not known.`);
  }

  /** Returns undefined if the address was sealed with a lost key or is not stored. */
  #addressIn(row: Row): string | undefined {
    if (row.address === null) return undefined;
    try {
      return this.#parts.sealer?.open(row.address, contextOf(row));
    } catch {
      return undefined;
    }
  }

  async #remove(row: Row): Promise<void> {
    const { storage } = this.#parts;
    await storage.transact((tx) => tx.delete(storage.tables.memoryPlaces).where(this.#isRow(row)));
  }

  #isRow({ tenant, agent, place }: Pick<Row, "tenant" | "agent" | "place">) {
    const { memoryPlaces } = this.#parts.storage.tables;
    return and(eq(memoryPlaces.tenant, tenant), eq(memoryPlaces.agent, agent), eq(memoryPlaces.place, place));
  }
}

type Row = MemoryTables["memoryPlaces"]["$inferSelect"];

function contextOf({ tenant, agent, place }: Pick<Row, "tenant" | "agent" | "place">) {
  return { purpose: "memory-place", tenant, name: JSON.stringify([agent, place]) };
}

function idOf({ tenant, agent }: AgentKey, place: string): string {
  return JSON.stringify([tenant, agent, place]);
}

function isUnreachable(thrown: unknown): boolean {
  return thrown instanceof AppError && thrown.kind === "unavailable" && thrown.code !== "storage_unavailable";
}
