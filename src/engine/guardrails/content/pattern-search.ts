import type { Work } from "../../../kit/concurrency/others-turn.ts";
import { instruction, type PatternProgram } from "./pattern-program.ts";
import { conditionsBetween } from "./pattern-scanner.ts";

/** Steps between two counts. */
const countedSteps = 10_000;

/**
 * Returns true if a pattern matches somewhere in a text, the empty text included. All possible matches advance through the text in parallel,
 * so a character costs at most one step per instruction. `spend` counts steps and returns true for a pause.
 */
export function* searchPattern(
  program: PatternProgram,
  text: string,
  spend: (steps: number) => boolean,
): Work<boolean> {
  const { op, out, arg, start } = program;
  const size = op.length;
  const visited = new Uint32Array(size);
  const open = new Uint16Array(2 * size + 1);
  const waiting = new Uint16Array(size);
  const next = new Uint16Array(size);
  let count = 0;
  let round = 0;
  let steps = size;

  /** Follows an instruction to those that consume a character, which are then in `next`. Returns true if a match is complete. */
  let ready = 0;
  const follow = (from: number, conditions: number): boolean => {
    let depth = 0;
    open[depth++] = from;
    while (depth > 0) {
      const pc = open[--depth] ?? 0;
      steps++;
      if (visited[pc] === round) continue;
      visited[pc] = round;
      switch (op[pc]) {
        case instruction.either:
        case instruction.eitherMatch:
          open[depth++] = arg[pc] ?? 0;
          open[depth++] = out[pc] ?? 0;
          break;
        case instruction.capture:
        case instruction.nothing:
          open[depth++] = out[pc] ?? 0;
          break;
        case instruction.emptyWidth:
          if (((arg[pc] ?? 0) & ~conditions) === 0) open[depth++] = out[pc] ?? 0;
          break;
        case instruction.match:
          return true;
        case instruction.fail:
          break;
        default:
          next[ready++] = pc;
      }
    }
    return false;
  };

  let before = -1;
  for (let at = 0; ; ) {
    const code = at < text.length ? (text.codePointAt(at) ?? 0) : -1;
    round++;
    ready = 0;
    const conditions = conditionsBetween(before, code);
    for (let index = 0; index < count; index++) if (follow(waiting[index] ?? 0, conditions)) return true;
    if (follow(start, conditions)) return true;
    if (code < 0) {
      spend(steps);
      return false;
    }
    steps += ready;
    count = 0;
    for (let index = 0; index < ready; index++) {
      const pc = next[index] ?? 0;
      if (program.takes(pc, code)) waiting[count++] = out[pc] ?? 0;
    }
    before = code;
    at += code > 0xffff ? 2 : 1;
    if (steps < countedSteps) continue;
    const pauses = spend(steps);
    steps = 0;
    if (pauses) yield;
  }
}
