export interface FairTurnsLimits {
  /** Limit for the tasks that run at once. */
  placesMax: number;
  /** Limit for the running tasks of one owner. */
  ownPlacesMax: number;
}

export interface FairTurns {
  /** Runs a task at one of the places, numbered from 0, when it is its owner's turn. */
  <T>(owner: string, task: (place: number) => Promise<T>): Promise<T>;
  /** True if another owner's task could run now if there were a free place. */
  othersWait(owner: string): boolean;
}

/**
 * Runs a bounded number of tasks at once. Owners take turns, each owner's tasks keep their order, and no owner gets all places. A failed
 * task delays no other.
 */
export function fairTurns({ placesMax, ownPlacesMax }: FairTurnsLimits): FairTurns {
  const free = Array.from({ length: placesMax }, (_, place) => place);
  /** Waiting tasks by owner, in the order of the owners' turns. */
  const waiting = new Map<string, ((place: number) => void)[]>();
  const running = new Map<string, number>();

  const begin = () => {
    for (const [owner, starts] of [...waiting]) {
      if (free.length === 0) return;
      if ((running.get(owner) ?? 0) >= ownPlacesMax) continue;
      const start = starts.shift();
      const place = free.shift();
      if (start === undefined || place === undefined) return;
      // The owner's next task queues behind every other owner.
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

  const run = async <T>(owner: string, task: (place: number) => Promise<T>): Promise<T> => {
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
  const othersWait = (owner: string) =>
    [...waiting.keys()].some((other) => other !== owner && (running.get(other) ?? 0) < ownPlacesMax);
  return Object.assign(run, { othersWait });
}
