/** Runs `source` to its end, with or without a reader. Passes its items to one reader, who may leave, and returns how it ended. */
export function readAlong<Item, End>(
  source: AsyncGenerator<Item, End>,
): { items: AsyncGenerator<Item, End>; ended: Promise<End> } {
  const waiting: Item[] = [];
  let isRead = true;
  let isOver = false;
  let wake = () => {};
  const run = async () => {
    try {
      for (;;) {
        const { value, done } = await source.next();
        if (done) return value;
        if (isRead) waiting.push(value);
        wake();
      }
    } finally {
      isOver = true;
      wake();
    }
  };
  const ended = run();
  // A reader gets the failure; without a reader, it is ignored here.
  ended.catch(() => {});
  async function* read(): AsyncGenerator<Item, End> {
    try {
      for (;;) {
        for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) yield item;
        if (isOver) return await ended;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      isRead = false;
      waiting.length = 0;
    }
  }
  return { items: read(), ended };
}
