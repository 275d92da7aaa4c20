import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { LatestMap } from "../../kit/latest-map.ts";
import type { CollectionKey, VectorCollection, VectorPlace, VectorStore } from "./vector-store.ts";

/** The database's record of a collection's vectors. */
export interface KnownVectors {
  /** Id of the place to which they were written; null: written before places had ids. */
  place: string | null;
  /** The newest write whose rows must exist; null: none. */
  newest: string | null;
}

/** A collection whose vectors are to be used. */
export interface HeldCollection {
  store: VectorStore;
  key: CollectionKey;
  dimension: number;
  known: KnownVectors;
  /** Reads the current record, with the number of rows that must exist; undefined if these vectors are no longer used. */
  read(): Promise<(KnownVectors & { rows: number }) | undefined>;
  /** Records the place of vectors that had none. */
  adopt(place: string): Promise<void>;
  /** Name of the vectors, and the command that rebuilds them: `collection notes`, `argosy rag reindex notes`. */
  name: string;
  mend: string;
}

interface Seen {
  instance: string;
  newest: string | null;
  atMs: number;
}

/** Time for which the place of a server is cached. An empty answer causes an immediate request. */
const placeMs = 30_000;
/** Time after which rows that existed are checked again. */
const rowsMs = 60_000;
const seenMax = 10_000;
/** Maximum checks of a collection that changes between them; after that it is used unchecked. */
const looksMax = 5;

/**
 * Opens collections, and checks that their vectors are in the recorded place and not older than the database. Vectors and database may be
 * on two disks, and one may be lost, replaced or restored without the other.
 */
export class HeldVectors {
  readonly #clock: Clock;
  readonly #places = new WeakMap<VectorStore, { place: VectorPlace; atMs: number }>();
  /** By collection key. */
  readonly #seen = new LatestMap<string, Seen>(seenMax);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the place of a store; undefined for the memory of this process. `isFresh`: ignores the cache. */
  async placeOf(store: VectorStore, isFresh = false): Promise<VectorPlace | undefined> {
    const atMs = this.#clock.monotonicMs();
    const last = this.#places.get(store);
    if (!isFresh && last !== undefined && atMs - last.atMs < placeMs) return last.place;
    const place = await store.place();
    // A local folder is checked each time, at no cost.
    if (place?.instance === "") this.#places.set(store, { place, atMs });
    return place;
  }

  /** Throws AppError `vectors_elsewhere` (503) if the store is not the recorded place. */
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
   * Returns the collection's rows. Throws AppError `vectors_elsewhere` (503) if they are in another place, or if the place has less than
   * the database recorded: it was emptied, or restored from an older backup.
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
    this.#seen.set(name, { instance: place.instance, newest, atMs });
    return rows;
  }

  /** Notes that this process wrote rows which the database has recorded, so that they need no check. */
  wrote(key: CollectionKey, newest: string): void {
    const name = nameOf(key);
    const seen = this.#seen.get(name);
    if (seen !== undefined) this.#seen.set(name, { ...seen, newest });
  }
}

/**
 * Checks that no recorded rows are missing. Rows are added before they are recorded and removed after they are forgotten, so the store
 * never has fewer.
 */
async function requireRows(held: HeldCollection, rows: VectorCollection, isCounted: boolean): Promise<void> {
  let before: string | undefined;
  for (let look = 0; look < looksMax; look++) {
    const now = await held.read();
    if (now === undefined) return;
    await rows.refresh?.();
    const missing = await missingRows(rows, now, isCounted);
    if (missing === undefined) return;
    const state = JSON.stringify([now.newest, now.rows]);
    // Two equal results mean that there was no concurrent change.
    if (state === before) throw elsewhere(held, missing);
    before = state;
  }
}

/** Describes recorded rows that are missing; undefined if there are none. */
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

/** 503 for vectors that are not in the recorded place or are older than the database. */
function elsewhere({ name, mend, store }: HeldCollection, reason: string): AppError {
  const what = store.backend === "lancedb" ? "vectors folder" : `${store.backend} data`;
  return new AppError(
    "unavailable",
    "vectors_elsewhere",
    `The vectors of ${name} are not in this ${what}: ${reason}. Restore the ${what} that belongs to this database, or run ${mend}, which makes the vectors anew from the texts that are here.`,
    { details: { facts: { backend: store.backend } } },
  );
}

/** Returns true if the error means that vectors are in another place. */
export const isElsewhere = (thrown: unknown) =>
  thrown instanceof AppError && thrown.code === "vectors_elsewhere";

const short = (id: string) => id.replaceAll("-", "").slice(-12);

const nameOf = ({ tenant, kind, name }: CollectionKey) => JSON.stringify([tenant, kind, name]);
