import type { UsageRecord } from "../../../engine/spending/usage-record.ts";

/** The latest records up to a number; each further one takes the oldest's place. */
export class RecordRing {
  readonly #capacity: number;
  readonly #records: UsageRecord[] = [];
  /** Where the oldest record stands once all places are taken. */
  #oldest = 0;
  #droppedUntil: Date | undefined;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  push(record: UsageRecord): void {
    if (this.#records.length < this.#capacity) {
      this.#records.push(record);
      return;
    }
    const dropped = this.#records[this.#oldest];
    if (dropped !== undefined && !(this.#droppedUntil && dropped.at < this.#droppedUntil)) {
      this.#droppedUntil = dropped.at;
    }
    this.#records[this.#oldest] = record;
    this.#oldest = (this.#oldest + 1) % this.#capacity;
  }

  /** The latest instant of what was dropped; undefined while nothing was. */
  get droppedUntil(): Date | undefined {
    return this.#droppedUntil;
  }

  *newestFirst(): Generator<UsageRecord, void> {
    const count = this.#records.length;
    for (let back = 1; back <= count; back++) {
      const record = this.#records[(this.#oldest + count - back) % count];
      if (record !== undefined) yield record;
    }
  }
}
