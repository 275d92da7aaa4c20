import type { UsageRecord } from "../../../engine/spending/usage-record.ts";

/** Ring buffer of the latest records. When it is full, each new record replaces the oldest. */
export class RecordRing {
  readonly #capacity: number;
  readonly #records: UsageRecord[] = [];
  /** Index of the oldest record once the buffer is full. */
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

  /** Latest instant among the dropped records; undefined if none was dropped. */
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
