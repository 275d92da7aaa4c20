/** `perFree` of places that have one owner only, who may take all of them. */
export const noOthers = Number.POSITIVE_INFINITY;

/**
 * True if an owner with `own` places may take another one while `free` are free: `perFree` places for each one that remains for the others.
 * The last free place is for those who have none.
 */
export const leavesRoom = (own: number, free: number, perFree = 1): boolean =>
  free > 0 && (own === 0 || perFree === noOthers || own <= (free - 1) * perFree);

/** Places that an owner with `own` ones may take, one after the other. */
export const roomBeside = (own: number, free: number, perFree = 1): number =>
  perFree === noOthers
    ? Math.max(0, free)
    : leavesRoom(own, free, perFree)
      ? Math.max(1, Math.floor((perFree * free - own + 1) / (1 + perFree)))
      : 0;

/**
 * Counts the places that owners share, for work that is fetched from a store. `AdmissionGate` does the same for callers that wait in memory. An
 * owner gets another place only while enough remain free, so that the others find one, and the last one goes to an owner without any.
 */
export class OwnerPlaces {
  readonly #placesMax: number;
  readonly #perFree: number;
  readonly #taken = new Map<string, number>();
  /** Owners by their latest turn, the longest ago first. */
  readonly #turns = new Set<string>();
  #inUse = 0;

  /** `perFree`: places that an owner may have for each one that is free. */
  constructor(placesMax: number, perFree = 1) {
    this.#placesMax = placesMax;
    this.#perFree = perFree;
  }

  get free(): number {
    return this.#placesMax - this.#inUse;
  }

  mayTake(owner: string): boolean {
    return leavesRoom(this.#taken.get(owner) ?? 0, this.free, this.#perFree);
  }

  /** Places that may be given at once to owners that are not `full`, even if all go to the one that has the most. */
  get room(): number {
    const held = [...this.#taken.values()].filter((own) => leavesRoom(own, this.free, this.#perFree));
    return roomBeside(Math.max(0, ...held), this.free, this.#perFree);
  }

  /** Owners that must leave the free places to the others. */
  full(): string[] {
    return [...this.#taken.keys()].filter((owner) => !this.mayTake(owner));
  }

  /** Takes a place and returns the function that gives it back; a second call does nothing. */
  take(owner: string): () => void {
    this.#inUse++;
    this.#taken.set(owner, (this.#taken.get(owner) ?? 0) + 1);
    this.#turns.delete(owner);
    this.#turns.add(owner);
    if (this.#turns.size > turnsMax) this.#turns.delete([...this.#turns][0] ?? "");
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#inUse--;
      const left = (this.#taken.get(owner) ?? 1) - 1;
      if (left > 0) this.#taken.set(owner, left);
      else this.#taken.delete(owner);
    };
  }

  /** The one whose turn it is: of those that may take a place, the owner that has had none for the longest. */
  next<T>(candidates: readonly T[], ownerOf: (candidate: T) => string): T | undefined {
    const turns = new Map([...this.#turns].map((owner, turn) => [owner, turn]));
    const turnOf = (candidate: T) => turns.get(ownerOf(candidate)) ?? -1;
    const [first] = candidates
      .filter((candidate) => this.mayTake(ownerOf(candidate)))
      .toSorted((a, b) => turnOf(a) - turnOf(b));
    return first;
  }
}

/** Owners whose latest turn is remembered. */
const turnsMax = 10_000;
