import { batches } from "../../kit/batches.ts";
import { countSteps, othersTurn } from "../../kit/concurrency/others-turn.ts";

/** A delivered item as a queue stores it. */
export interface Delivered {
  /** Our own id. */
  id: string;
}

/** Statements of a queue, all in the transaction that admits a delivery. */
export interface DeliveryQueue<Item extends Delivered> {
  /** The provider's key, equal for each delivery of the same item. */
  keyOf(item: Item): string;
  /** Returns those of the keys that are stored. */
  findKnown(keys: readonly string[]): Promise<readonly string[]>;
  /** Returns how many further items the queue takes; more than `wanted` need not be told apart. */
  countRoom(wanted: number): Promise<number>;
  /** Stores items and returns the ids of those whose keys were new. */
  add(items: readonly Item[]): Promise<readonly string[]>;
}

/** Results for a delivery's items. Items for which the queue has no room are in neither list. */
export interface Admission {
  /** Keys that were stored before. */
  known: ReadonlySet<string>;
  /** Ids of the items that are stored now. */
  added: ReadonlySet<string>;
}

/** Keys that one statement looks up. */
const keysTogether = 500;
/** Looking up a key takes up to 10 µs. */
const stepsOfKey = 1000;

/** Rows that one statement inserts. Building it takes as much time as running it, so more rows would be a long block. */
const rowsTogether = 100;
/** Inserting a row takes up to 80 µs. */
const stepsOfRow = 5000;

/** Stores the items that are new, in order, while the queue has room. A key may occur once only. */
export async function admitNew<Item extends Delivered>(
  items: readonly Item[],
  queue: DeliveryQueue<Item>,
): Promise<Admission> {
  // The statements of a short delivery stay together, so that its transaction is short.
  const isLong = items.length > rowsTogether;
  const known = new Set<string>();
  for (const some of batches(items, keysTogether)) {
    for (const key of await queue.findKnown(some.map(queue.keyOf))) known.add(key);
    if (countSteps(some.length * stepsOfKey) && isLong) await othersTurn();
  }
  const unknown = items.filter((item) => !known.has(queue.keyOf(item)));
  const added = new Set<string>();
  if (unknown.length === 0) return { known, added };
  const room = Math.max(0, await queue.countRoom(unknown.length));
  for (const some of batches(unknown.slice(0, room), rowsTogether)) {
    for (const id of await queue.add(some)) added.add(id);
    if (countSteps(some.length * stepsOfRow) && isLong) await othersTurn();
  }
  return { known, added };
}

/** Returns the first item of each key, in order. */
export function firstOfEach<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  const first = new Map<string, Item>();
  for (const item of items) if (!first.has(keyOf(item))) first.set(keyOf(item), item);
  return [...first.values()];
}
