import type { Cover, Scanner } from "../scanner.ts";
import { instruction, type PatternProgram } from "./pattern-program.ts";

/*
 * All possible matches of a pattern advance through the text in parallel, in RE2's order of preference. When one is complete, those of
 * lower preference are dropped, as in RE2, and new ones may begin right after it. Those of higher preference continue: if one of them
 * completes, it covers the earlier finds. So the text is read once, without backtracking, and a find is never withdrawn. A character costs
 * at most one step per instruction.
 */

/** Finds the matches of a pattern, leftmost first, each as long as in RE2. Empty matches don't count. */
export function patternScanner(program: PatternProgram, label: string, cover: Cover): Scanner {
  const { op, out, arg, start: begin } = program;
  const size = op.length;
  let position = 0;
  let before = -1;
  /** Possible matches that have consumed all characters up to `position`: the next instruction and the start of each. */
  const waiting = { pc: new Uint16Array(size), start: new Float64Array(size), count: 0 };
  /** Those of them that consume the next character. */
  const ready = { pc: new Uint16Array(size), start: new Float64Array(size), count: 0 };
  const visited = new Uint32Array(size);
  const open = new Uint16Array(2 * size + 1);
  let round = 0;
  let steps = 0;

  /** Follows an instruction to those that consume a character. Returns true if a match is complete. */
  const follow = (from: number, start: number, conditions: number): boolean => {
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
          if (start === position) break;
          cover(start, position, position, label);
          return true;
        case instruction.fail:
          break;
        default:
          ready.pc[ready.count] = pc;
          ready.start[ready.count++] = start;
      }
    }
    return false;
  };

  const followWaiting = (conditions: number) => {
    round++;
    ready.count = 0;
    for (let index = 0; index < waiting.count; index++) {
      if (follow(waiting.pc[index] ?? 0, waiting.start[index] ?? 0, conditions)) break;
    }
    waiting.count = 0;
  };

  const take = (code: number, length: number) => {
    const begins = program.mayBeginWith(code);
    if (waiting.count > 0 || begins) {
      const conditions = conditionsBetween(before, code);
      followWaiting(conditions);
      if (begins) follow(begin, position, conditions);
      steps += ready.count;
      for (let index = 0; index < ready.count; index++) {
        const pc = ready.pc[index] ?? 0;
        if (!program.takes(pc, code)) continue;
        waiting.pc[waiting.count] = out[pc] ?? 0;
        waiting.start[waiting.count++] = ready.start[index] ?? 0;
      }
    }
    before = code;
    position += length;
  };

  return {
    openingSteps: size,
    read(piece) {
      steps = piece.length;
      for (let at = 0; at < piece.length; ) {
        const code = piece.codePointAt(at) ?? 0;
        const length = code > 0xffff ? 2 : 1;
        take(code, length);
        at += length;
      }
      return steps;
    },
    end() {
      steps = 1;
      followWaiting(conditionsBetween(before, -1));
      return steps;
    },
    get undecidedFrom() {
      return waiting.count === 0 ? position : (waiting.start[0] ?? 0);
    },
  };
}

/** Conditions between two characters (-1: none), as bits of RE2's instructions. Word characters are ASCII, as in RE2. */
export function conditionsBetween(before: number, after: number): number {
  let conditions = isWord(before) === isWord(after) ? 32 : 16;
  if (before < 0) conditions |= 4;
  if (after < 0) conditions |= 8;
  if (before < 0 || before === 0x0a) conditions |= 1;
  if (after < 0 || after === 0x0a) conditions |= 2;
  return conditions;
}

function isWord(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x41 && code <= 0x5a) ||
    code === 0x5f ||
    (code >= 0x61 && code <= 0x7a)
  );
}
