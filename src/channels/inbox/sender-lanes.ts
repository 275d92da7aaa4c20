/** Processes the items of one lane in order, one at a time. Different lanes run in parallel, up to a limit. */
export class SenderLanes<Item> {
  readonly #atOnceMax: number;
  readonly #work: (item: Item) => Promise<void>;
  readonly #goesBefore: (a: Item, b: Item) => boolean;
  /** Waiting items by lane. A lane in progress is included, with the items that follow. */
  readonly #lanes = new Map<string, Item[]>();
  /** Lanes with waiting items that are not being processed; the one that waits longest is first. */
  readonly #ready = new Set<string>();
  #inWork = 0;
  #idle: PromiseWithResolvers<void> | undefined;

  /** `work` must never reject. `goesBefore` returns true if the later of two waiting items overtakes the earlier one. */
  constructor(
    atOnceMax: number,
    work: (item: Item) => Promise<void>,
    goesBefore: (later: Item, earlier: Item) => boolean,
  ) {
    this.#atOnceMax = atOnceMax;
    this.#work = work;
    this.#goesBefore = goesBefore;
  }

  add(lane: string, item: Item): void {
    const waiting = this.#lanes.get(lane);
    if (waiting === undefined) {
      this.#lanes.set(lane, [item]);
      this.#ready.add(lane);
    } else {
      let at = waiting.length;
      for (let earlier = waiting[at - 1]; earlier !== undefined; earlier = waiting[at - 1]) {
        if (!this.#goesBefore(item, earlier)) break;
        at--;
      }
      waiting.splice(at, 0, item);
    }
    this.#fill();
  }

  /** Drops waiting items; running work continues. */
  clear(): void {
    for (const lane of this.#ready) this.#lanes.delete(lane);
    for (const waiting of this.#lanes.values()) waiting.length = 0;
    this.#ready.clear();
  }

  /** Resolves when no work is running. */
  async idle(): Promise<void> {
    if (this.#inWork === 0) return;
    this.#idle ??= Promise.withResolvers();
    await this.#idle.promise;
  }

  #fill(): void {
    for (const lane of this.#ready) {
      if (this.#inWork >= this.#atOnceMax) return;
      const item = this.#lanes.get(lane)?.shift();
      this.#ready.delete(lane);
      if (item !== undefined) void this.#run(lane, item);
    }
  }

  async #run(lane: string, item: Item): Promise<void> {
    this.#inWork++;
    try {
      await this.#work(item);
    } finally {
      this.#inWork--;
      if ((this.#lanes.get(lane)?.length ?? 0) > 0) this.#ready.add(lane);
      else this.#lanes.delete(lane);
      this.#fill();
      if (this.#inWork === 0) {
        this.#idle?.resolve();
        this.#idle = undefined;
      }
    }
  }
}
