import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import type { CollectionKey, VectorCollection, VectorPlace, VectorStore } from "./vector-store.ts";

/** Vectors of a collection as the database knows them. */
export interface KnownVectors {
  /** Id of the place that they were written to; null: written before places had ids. */
  place: string | null;
  /** The newest write of which rows must be there; null: none. */
  newest: string | null;
}

/** A collection whose vectors are to be used. */
export interface HeldCollection {
  store: VectorStore;
  key: CollectionKey;
  dimension: number;
  known: KnownVectors;
  /** What the database knows now, with the number of rows that must be there; undefined: these vectors count no more. */
  read(): Promise<(KnownVectors & { rows: number }) | undefined>;
  /** Records the place of vectors that had none recorded. */
  adopt(place: string): Promise<void>;
  /** What the vectors are called, and what makes them anew: `collection notes`, `argosy rag reindex notes`. */
  name: string;
  mend: string;
}

interface Seen {
  instance: string;
  newest: string | null;
  atMs: number;
}

/** Ids of servers' places are asked for again after so long; empty answers ask at once. */
const placeMs = 30_000;
/** Rows that were there are looked for again after so long. */
const rowsMs = 60_000;
const seenMax = 10_000;
/** A collection that others change at each look is taken as it is. */
const looksMax = 5;

/**
 * Opens collections, and makes sure that their vectors are where the database says and not older than it. A vector place and a
 * database are two disks: one may be lost, exchanged or restored without the other.
 */
export class HeldVectors {
  readonly #clock: Clock;
  readonly #places = new WeakMap<VectorStore, { place: VectorPlace; atMs: number }>();
  /** By the key of the collection. */
  readonly #seen = new Map<string, Seen>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The place of a store; undefined: the memory of this process. `isFresh`: without relying on an earlier answer. */
  async placeOf(store: VectorStore, isFresh = false): Promise<VectorPlace | undefined> {
    const atMs = this.#clock.monotonicMs();
    const last = this.#places.get(store);
    if (!isFresh && last !== undefined && atMs - last.atMs < placeMs) return last.place;
    const place = await store.place();
    // A look at a local folder costs nothing.
    if (place?.instance === "") this.#places.set(store, { place, atMs });
    return place;
  }

  /** Throws AppError `vectors_elsewhere` (503) when the store is another place than the database recorded. */
  async requirePlace(held: HeldCollection, isFresh = false): Promise<VectorPlace | undefined> {
    const place = await this.placeOf(held.store, isFresh);
    const { place: recorded } = held.known;
    if (place !== undefined && recorded !== null && recorded !== place.id)
      throw elsewhere(
        held,
        `the database recorded the place ${short(recorded)}, and this is ${short(place.id)}`,
      );
    return place;
  }

  /**
   * The collection's rows. Throws AppError `vectors_elsewhere` (503) when they are in another place, or when the place holds
   * less than the database knows of: it was emptied, or restored from an older backup.
   */
  async open(held: HeldCollection, isFresh = false): Promise<VectorCollection> {
    const place = await this.requirePlace(held, isFresh);
    const rows = await held.store.open(held.key, held.dimension);
    if (place === undefined) return rows;
    const { newest } = held.known;
    const name = nameOf(held.key);
    const atMs = this.#clock.monotonicMs();
    const seen = this.#seen.get(name);
    const isKnown = !isFresh && seen?.instance === place.instance;
    if (isKnown && seen.newest === newest && atMs - seen.atMs < rowsMs) return rows;
    await requireRows(held, rows, !isKnown);
    if (held.known.place === null) await held.adopt(place.id);
    this.#note(name, { instance: place.instance, newest, atMs });
    return rows;
  }

  /** This process wrote rows, and the database knows of them: they need not be looked for. */
  wrote(key: CollectionKey, newest: string): void {
    const name = nameOf(key);
    const seen = this.#seen.get(name);
    if (seen !== undefined) this.#note(name, { ...seen, newest });
  }

  #note(name: string, seen: Seen): void {
    this.#seen.delete(name);
    this.#seen.set(name, seen);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > seenMax && oldest !== undefined) this.#seen.delete(oldest);
  }
}

/** Rows are added before the database knows of them and removed after it has forgotten them, so the store never has fewer. */
async function requireRows(held: HeldCollection, rows: VectorCollection, isCounted: boolean): Promise<void> {
  let before: string | undefined;
  for (let look = 0; look < looksMax; look++) {
    const now = await held.read();
    if (now === undefined) return;
    await rows.refresh?.();
    const missing = await missingRows(rows, now, isCounted);
    if (missing === undefined) return;
    const state = JSON.stringify([now.newest, now.rows]);
    // Twice the same: nobody changed it between the two looks.
    if (state === before) throw elsewhere(held, missing);
    before = state;
  }
}

/** What is not there that the database knows of; undefined: nothing. */
export async function missingRows(
  rows: VectorCollection,
  { newest, rows: expected }: { newest: string | null; rows: number },
  isCounted = true,
): Promise<string | undefined> {
  if (newest !== null && (await rows.list({ writes: [newest] }, { limit: 1 })).length === 0)
    return "the newest texts that the database knows of are not there";
  if (!isCounted) return undefined;
  const found = await rows.count();
  return found < expected
    ? `${found} of the ${expected} pieces of text that the database knows of are there`
    : undefined;
}

/** 503 for vectors that are not where, or not as new as, the database says. */
function elsewhere({ name, mend, store }: HeldCollection, reason: string): AppError {
  const what = store.backend === "lancedb" ? "vectors folder" : `${store.backend} data`;
  return new AppError(
    "unavailable",
    "vectors_elsewhere",
    `The vectors of ${name} are not in this ${what}: ${reason}. Restore the ${what} that belongs to this database, or run ${mend}, which makes the vectors anew from the texts that are here.`,
    { details: { facts: { backend: store.backend } } },
  );
}

/** Whether vectors were found to be elsewhere. */
export const isElsewhere = (thrown: unknown) =>
  thrown instanceof AppError && thrown.code === "vectors_elsewhere";

const short = (id: string) => id.replaceAll("-", "").slice(-12);

const nameOf = ({ tenant, kind, name }: CollectionKey) => JSON.stringify([tenant, kind, name]);
