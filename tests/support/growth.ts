import { processorMs } from "./processor-time.ts";

/** How many times as long the long text is. */
const lengthRatio = 8;
/** Between linear (1) and quadratic (8). */
const linearBelow = 3;
/** The collector and the compiler also use CPU time, but not in every attempt. */
const attemptsMax = 8;
/** Shorter times are too short to compare. */
const floorMs = 0.5;

/**
 * Returns the growth of work for a text eight times as long, divided by eight: about 1 if linear, about 8 if quadratic. Work is CPU time.
 * Each attempt does the work for eight short texts and for the long one right after, which takes equally long if it is linear, so what makes
 * the machine slower makes both slower. The attempts end with the first that shows linear work: quadratic work shows it in none.
 */
export function growth(
  recipe: (times: number) => string,
  work: (text: string) => unknown,
  times = 20_000,
): number {
  const short = recipe(times);
  const long = recipe(lengthRatio * times);
  const workOnShort = () => {
    for (let go = 0; go < lengthRatio; go++) work(short);
  };
  // Code that is not yet compiled would make the short texts slow.
  workOnShort();
  let grown = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attemptsMax && grown >= linearBelow; attempt++) {
    const shortMs = Math.max(processorMs(workOnShort), floorMs) / (lengthRatio * short.length);
    const longMs =
      Math.max(
        processorMs(() => work(long)),
        floorMs,
      ) / long.length;
    grown = Math.min(grown, longMs / shortMs);
  }
  return grown;
}
