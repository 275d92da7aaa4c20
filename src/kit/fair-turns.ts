export interface FairTurnsLimits {
  /** Tasks at once. */
  placesMax: number;
  /** Of them, tasks of one owner. */
  ownPlacesMax: number;
}

/** Runs a task at one of the places, numbered from 0, when its owner's turn has come. */
export type FairTurns = <T>(owner: string, task: (place: number) => Promise<T>) => Promise<T>;

/**
 * A bounded number of tasks at once, fairly: owners take turns, each one's tasks keep their order, and no owner has all places.
 * A task that fails holds up nobody.
 */
export function fairTurns({ placesMax, ownPlacesMax }: FairTurnsLimits): FairTurns {
  const free = Array.from({ length: placesMax }, (_, place) => place);
  /** In the order of their turns. */
  const waiting = new Map<string, ((place: number) => void)[]>();
  const running = new Map<string, number>();

  const begin = () => {
    for (const [owner, starts] of [...waiting]) {
      if (free.length === 0) return;
      if ((running.get(owner) ?? 0) >= ownPlacesMax) continue;
      const start = starts.shift();
      const place = free.shift();
      if (start === undefined || place === undefined) return;
      // Its next task comes after everybody else's.
      waiting.delete(owner);
      if (starts.length > 0) waiting.set(owner, starts);
      running.set(owner, (running.get(owner) ?? 0) + 1);
      start(place);
    }
  };

  const leave = (owner: string, place: number) => {
    free.unshift(place);
    const left = (running.get(owner) ?? 1) - 1;
    if (left > 0) running.set(owner, left);
    else running.delete(owner);
    begin();
  };

  return async (owner, task) => {
    const turn = Promise.withResolvers<number>();
    const starts = waiting.get(owner) ?? [];
    waiting.set(owner, [...starts, turn.resolve]);
    begin();
    const place = await turn.promise;
    try {
      return await task(place);
    } finally {
      leave(owner, place);
    }
  };
}
