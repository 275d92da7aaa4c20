/** Opcodes of RE2 programs. */
export const instruction = {
  either: 1,
  eitherMatch: 2,
  capture: 3,
  emptyWidth: 4,
  fail: 5,
  match: 6,
  nothing: 7,
  character: 8,
  oneCharacter: 9,
  anyCharacter: 10,
  anyButNewline: 11,
} as const;

const opcodes: ReadonlySet<number> = new Set(Object.values(instruction));

/** One instruction of a pattern compiled by re2js. */
interface CompiledInstruction {
  op: number;
  /** Next instruction; for `either`, the preferred one. */
  out: number;
  /** For `either` the alternative, for `emptyWidth` the conditions. */
  arg: number;
  matchRune(code: number): boolean;
}

interface CompiledProgram {
  inst: readonly CompiledInstruction[];
  start: number;
}

/** A pattern as a program that advances all possible matches in parallel. */
export interface PatternProgram {
  readonly start: number;
  readonly op: Uint8Array;
  readonly out: Uint16Array;
  readonly arg: Int32Array;
  /** Returns true if the instruction at `pc` consumes the character. */
  takes(pc: number, code: number): boolean;
  /** Returns true if a match may begin with the character. */
  mayBeginWith(code: number): boolean;
}

/** Converts a program compiled by re2js. Throws on unknown instructions. */
export function patternProgram({ inst, start }: CompiledProgram): PatternProgram {
  const op = Uint8Array.from(inst, (one) => one.op);
  for (const one of op)
    if (!opcodes.has(one)) throw new TypeError(`Unknown instruction ${one} in a pattern.`);
  const out = Uint16Array.from(inst, (one) => one.out);
  const arg = Int32Array.from(inst, (one) => one.arg);
  const takes = (pc: number, code: number): boolean => {
    switch (op[pc]) {
      case instruction.anyCharacter:
        return true;
      case instruction.anyButNewline:
        return code !== 0x0a;
      default:
        return inst[pc]?.matchRune(code) === true;
    }
  };
  const first = firstCharacters({ start, op, out, arg });
  const anyOf = (code: number) => first.some((pc) => takes(pc, code));
  const ascii = Uint8Array.from({ length: 0x80 }, (_, code) => (anyOf(code) ? 1 : 0));
  return {
    start,
    op,
    out,
    arg,
    takes,
    mayBeginWith: (code) => (code < 0x80 ? ascii[code] === 1 : anyOf(code)),
  };
}

/** Instructions that may consume the first character of a match. */
function firstCharacters({
  start,
  op,
  out,
  arg,
}: Pick<PatternProgram, "start" | "op" | "out" | "arg">): number[] {
  const seen = new Set<number>();
  const open = [start];
  for (let pc = open.pop(); pc !== undefined; pc = open.pop()) {
    if (seen.has(pc)) continue;
    seen.add(pc);
    if ((op[pc] ?? 0) >= instruction.character || op[pc] === instruction.match) continue;
    open.push(out[pc] ?? 0);
    if (op[pc] === instruction.either || op[pc] === instruction.eitherMatch) open.push(arg[pc] ?? 0);
  }
  return [...seen].filter((pc) => (op[pc] ?? 0) >= instruction.character);
}
