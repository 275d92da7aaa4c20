/*
 * Long work on the main thread is done in pieces. A process has one event loop, so it also has one queue of tasks that wait
 * for their next piece, and one count of the work since the loop last looked for input. Each pass of the loop resumes one
 * task: ten long tasks delay a request by one piece, and get equal shares of the time. Short tasks have a queue of their own, so that they
 * don't wait behind long ones.
 */

/** Work in pieces: each `yield` ends one. */
export type Work<T> = Generator<undefined, T, undefined>;

/** Returns true if a value is work, and not its result. */
export const isWork = <T>(value: T | Work<T> | Promise<T>): value is Work<T> =>
  typeof value === "object" && value !== null && "next" in value && typeof value.next === "function";

/** Steps of one piece. A step is 10 to 20 ns of work, so a piece takes 5 to 10 ms. */
export const stepsPerPiece = 500_000;

/** Short tasks that one pass resumes; each takes up to 0.5 ms. */
const shortPerPass = 8;

const waiting: (() => void)[] = [];
const waitingShort: (() => void)[] = [];
let stepsInPass = 0;
let stepsEver = 0;
let isPassScheduled = false;

/** Browsers have no `setImmediate`. A timer of no length needs no clock. */
const afterInput: (pass: () => void) => unknown =
  globalThis.setImmediate ?? ((pass: () => void) => globalThis.setTimeout(pass, 0));

function schedulePass(): void {
  if (isPassScheduled) return;
  isPassScheduled = true;
  afterInput(() => {
    isPassScheduled = false;
    stepsInPass = 0;
    const resumed = [...waitingShort.splice(0, shortPerPass), ...waiting.splice(0, 1)];
    if (waiting.length + waitingShort.length > 0) schedulePass();
    for (const resume of resumed) resume();
  });
}

/** Lets waiting input and other tasks go first. Long work calls it between two pieces. */
export function othersTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    schedulePass();
  });
}

/** Lets waiting input go first. For short tasks of which hundreds may begin at the same time. */
export function shortTurn(): Promise<void> {
  return new Promise((resolve) => {
    waitingShort.push(resolve);
    schedulePass();
  });
}

let turnsEnd: Promise<void> | undefined;

/** Resolves after the input and callbacks that wait now; unlike `othersTurn`, it does not queue behind long tasks. Callers of one turn share it. */
export function endOfTurn(): Promise<void> {
  turnsEnd ??= new Promise((resolve) =>
    afterInput(() => {
      turnsEnd = undefined;
      resolve();
    }),
  );
  return turnsEnd;
}

/** Returns true if this pass of the loop has done enough: indivisible work then waits for `othersTurn`. */
export function isOthersTurn(): boolean {
  return stepsInPass >= stepsPerPiece;
}

/**
 * Counts steps that were done, a part of one as a whole one: sums of fractions are inexact, and a full piece must count as one. True: this
 * pass of the event loop has done enough, so the work pauses.
 */
export function countSteps(steps: number): boolean {
  const whole = Math.ceil(steps);
  stepsInPass += whole;
  stepsEver += whole;
  schedulePass();
  return stepsInPass >= stepsPerPiece;
}

/** Steps counted since the start of the process. */
export function stepsCounted(): number {
  return stepsEver;
}

/** Does the work at once, without a pause: for a small one, where nothing can wait. */
export function atOnce<T>(work: Work<T>): T {
  for (;;) {
    const next = work.next();
    if (next.done === true) return next.value;
  }
}

/**
 * Runs the work and lets others go first between two pieces. Returns the result itself if one piece was enough. Rejects with the signal's
 * reason if the signal aborts meanwhile.
 */
export function inPieces<T>(work: Work<T>, signal?: AbortSignal): T | Promise<T> {
  if (stepsInPass >= stepsPerPiece) return restInPieces(work, signal);
  const first = work.next();
  return first.done === true ? first.value : restInPieces(work, signal);
}

async function restInPieces<T>(work: Work<T>, signal: AbortSignal | undefined): Promise<T> {
  for (;;) {
    await othersTurn();
    if (signal?.aborted) {
      work.return(undefined as T);
      throw signal.reason;
    }
    const next = work.next();
    if (next.done === true) return next.value;
  }
}
