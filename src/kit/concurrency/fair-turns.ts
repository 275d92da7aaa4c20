import { OwnerLine } from "./owner-line.ts";

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
  const waiting = new OwnerLine<(place: number) => void>();
  const running = new Map<string, number>();
  const mayRun = (owner: string) => (running.get(owner) ?? 0) < ownPlacesMax;

  const begin = () => {
    while (free.length > 0) {
      const next = waiting.next(mayRun);
      const place = next && free.shift();
      if (next === undefined || place === undefined) return;
      running.set(next.owner, (running.get(next.owner) ?? 0) + 1);
      next.one(place);
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
    waiting.add(owner, turn.resolve);
    begin();
    const place = await turn.promise;
    try {
      return await task(place);
    } finally {
      leave(owner, place);
    }
  };
  const othersWait = (owner: string) =>
    [...waiting.owners()].some((other) => other !== owner && mayRun(other));
  return Object.assign(run, { othersWait });
}
