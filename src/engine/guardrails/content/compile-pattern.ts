import type { RE2JS, RE2JSException } from "re2js";
import { loadRe2 } from "../../../kit/load-re2.ts";
import { type BuildAllowance, instructionSteps } from "../build-allowance.ts";
import { type PatternProgram, patternProgram } from "./pattern-program.ts";

/** A pattern that is ready to be looked for. */
export interface CompiledPattern {
  program: PatternProgram;
  /**
   * Whether a text has a match at all; far quicker than finding where. Can't be cut into pieces: at worst it takes
   * `text.length` × `size` / 6 steps.
   */
  test(text: string): boolean;
  /** Its instructions. */
  size: number;
}

/** Instructions that one pattern may become, so that each character of a text costs a bounded time. */
const instructionsMax = 2000;

/** Reads a pattern in RE2's syntax, or says why it can't be used. Throws BeyondAllowance. */
export function compilePattern(
  source: string,
  allowance: BuildAllowance,
): CompiledPattern | { problem: string } {
  allowance.spend(source.length * instructionSteps);
  const re2 = loadRe2();
  let compiled: RE2JS;
  try {
    compiled = re2.RE2JS.compile(source);
  } catch (thrown) {
    if (!(thrown instanceof re2.RE2JSException)) throw thrown;
    return { problem: `is not a pattern that can be used: ${reasonOf(thrown)}` };
  }
  const size = compiled.programSize();
  allowance.spend(buildingSteps(compiled));
  if (size > instructionsMax) {
    return { problem: "is too large: repeat less, or split it into several patterns" };
  }
  if (compiled.test(""))
    return { problem: "matches the empty text, and so every text; let it ask for something" };
  return { program: patternProgram(compiled.re2().prog), test: (text) => compiled.test(text), size };
}

/** Steps that compiling took: each instruction has its own copy of the ranges of characters that it takes. */
function buildingSteps(compiled: RE2JS): number {
  const { inst } = compiled.re2().prog;
  return inst.reduce(
    (sum: number, { runes }: { runes?: number[] }) => sum + instructionSteps + (runes?.length ?? 0),
    0,
  );
}

const lookaround = /^\(\?<?[=!]/;

function reasonOf(thrown: RE2JSException): string {
  if (!(thrown instanceof loadRe2().RE2JSSyntaxException)) return thrown.message;
  const fragment = thrown.getPattern() ?? "";
  if (lookaround.test(fragment))
    return `lookaround (${fragment.slice(0, 20)}) is not available, because a pattern runs in linear time`;
  if (/^\\[1-9]/.test(fragment))
    return `backreferences (${fragment}) are not available, because a pattern runs in linear time`;
  return fragment === "" ? thrown.getDescription() : `${thrown.getDescription()}: ${fragment}`;
}
