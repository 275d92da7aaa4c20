import { AsyncLocalStorage } from "node:async_hooks";

/** Follows the awaits of background work. */
const background = new AsyncLocalStorage<true>();

/**
 * Runs work for which no caller waits. Whatever it starts in this process knows so, whichever service does it: a queue may let it wait a few
 * milliseconds, so that it costs the requests less.
 */
export const inBackground = <Result>(work: () => Result): Result => background.run(true, work);

/** Returns true if no caller waits for the work that asks. */
export const isInBackground = (): boolean => background.getStore() === true;
