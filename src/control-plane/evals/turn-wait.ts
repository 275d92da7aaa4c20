/** Delays between attempts to begin a turn of an eval that is refused for now, in seconds. The last one repeats. */
const waitsSeconds = [1, 2, 5, 10];
const longestSeconds = 30;
/** An hour of waiting. */
const waitsMax = 120;

/** Returns the seconds to wait after so many refusals; undefined if the turn was refused for an hour. */
export const turnWaitSeconds = (refused: number): number | undefined =>
  refused >= waitsMax ? undefined : (waitsSeconds[refused] ?? longestSeconds);
