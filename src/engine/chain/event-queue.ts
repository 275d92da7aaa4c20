/** Items from several senders for one reader, in the order in which they were pushed. */
export interface EventQueue<T> extends AsyncIterable<T> {
  push(item: T): void;
  /** No more items will come: the reader ends after the waiting ones. */
  end(): void;
}

export function createEventQueue<T>(): EventQueue<T> {
  const waiting: T[] = [];
  let ended = false;
  let wake = () => {};
  return {
    push(item) {
      waiting.push(item);
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) yield item;
        if (ended) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
