/** Items that several senders give and one reader takes, in the order in which they were given. */
export interface EventQueue<T> extends AsyncIterable<T> {
  push(item: T): void;
  /** Nothing more comes: the reader ends after what is waiting. */
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
