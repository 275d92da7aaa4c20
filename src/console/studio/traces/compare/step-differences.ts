import type { Span, Trace } from "../../../../contracts/daemon/runs/run.ts";
import { spanTitle } from "../span-names.ts";
import { layoutTimeline } from "../timeline.ts";

/** A step of a run, in the order of its tree. */
export interface Step {
  span: Span;
  depth: number;
  title: string;
}

/** The steps of two runs next to each other. */
export interface StepPair {
  a: Step | undefined;
  b: Step | undefined;
  isEqual: boolean;
}

export interface StepDifferences {
  pairs: StepPair[];
  /** Number of equal steps before the first difference; undefined if there is none. */
  first: number | undefined;
}

/** Steps that are compared with each other; beyond it, runs are shown in their order. */
const alignedMax = 400;

/** Aligns the steps of two runs, so that a step which only one run has does not shift the others. */
export function stepDifferences(a: Trace, b: Trace): StepDifferences {
  const [ofA, ofB] = [stepsOf(a), stepsOf(b)];
  const pairs = aligned(ofA, ofB);
  const first = pairs.findIndex(({ isEqual }) => !isEqual);
  return { pairs, first: first === -1 ? undefined : first };
}

const stepsOf = (trace: Trace): Step[] =>
  layoutTimeline(trace).rows.map(({ span, depth }) => ({ span, depth, title: spanTitle(span) }));

/** Steps are equal if they do the same at the same level and end alike. The root's agent may differ: the page shows it above. */
function areEqual(a: Step | undefined, b: Step | undefined): boolean {
  if (a === undefined || b === undefined || a.depth !== b.depth || a.span.status !== b.span.status)
    return false;
  return a.depth === 0 ? a.span.name === b.span.name : a.title === b.title;
}

const areAlike = (a: Step | undefined, b: Step | undefined): boolean =>
  a !== undefined && b !== undefined && a.depth === b.depth && a.span.name === b.span.name;

function aligned(a: readonly Step[], b: readonly Step[]): StepPair[] {
  if (a.length > alignedMax || b.length > alignedMax) {
    return Array.from({ length: Math.max(a.length, b.length) }, (_, at) => pairOf(a[at], b[at]));
  }
  const common = commonLengths(a, b);
  const pairs: StepPair[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [right, below] = [common[i]?.[j + 1] ?? -1, common[i + 1]?.[j] ?? -1];
    const behind = common[i + 1]?.[j + 1] ?? 0;
    // Two different steps of one kind stand side by side, unless a later pair would be lost.
    const areSideBySide = areAlike(a[i], b[j]) && behind >= (common[i]?.[j] ?? 0);
    if (areEqual(a[i], b[j]) || areSideBySide) pairs.push(pairOf(a[i++], b[j++]));
    else if (j >= b.length || (i < a.length && below >= right)) pairs.push(pairOf(a[i++], undefined));
    else pairs.push(pairOf(undefined, b[j++]));
  }
  return pairs;
}

const pairOf = (a: Step | undefined, b: Step | undefined): StepPair => ({ a, b, isEqual: areEqual(a, b) });

/** Lengths of the longest common sequences of the ends of both lists. */
function commonLengths(a: readonly Step[], b: readonly Step[]): number[][] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const row = lengths[i];
      if (row === undefined) continue;
      row[j] = areEqual(a[i], b[j])
        ? 1 + (lengths[i + 1]?.[j + 1] ?? 0)
        : Math.max(lengths[i + 1]?.[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return lengths;
}
