/** A source's next result, or its error. */
type Arrival<T> = { source: AsyncGenerator<T, void> } & (
  | { result: IteratorResult<T, void> }
  | { thrown: unknown }
);

/**
 * Yields the values of several generators in order of arrival. All run at once, and each continues when its last value was taken. The first
 * error ends the merge. At the end, for whatever reason, `stop` is called and every source is closed. The end waits for the sources, so a
 * waiting source must react to `stop`.
 */
export async function* mergeAsync<T>(
  sources: readonly AsyncGenerator<T, void>[],
  stop: () => void,
): AsyncGenerator<T, void> {
  const arrived: Arrival<T>[] = [];
  let wake = () => {};
  const arrive = (arrival: Arrival<T>) => {
    arrived.push(arrival);
    wake();
  };
  const ask = (source: AsyncGenerator<T, void>) => {
    source.next().then(
      (result) => arrive({ source, result }),
      (thrown: unknown) => arrive({ source, thrown }),
    );
  };
  try {
    for (const source of sources) ask(source);
    for (let open = sources.length; open > 0; ) {
      const next = arrived.shift();
      if (next === undefined) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      } else if ("thrown" in next) throw next.thrown;
      else if (next.result.done === true) open--;
      else {
        yield next.result.value;
        ask(next.source);
      }
    }
  } finally {
    stop();
    await Promise.allSettled(sources.map((source) => source.return()));
  }
}
