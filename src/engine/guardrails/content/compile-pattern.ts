import type { RE2JS, RE2JSException } from "re2js";
import type { Work } from "../../../kit/concurrency/others-turn.ts";
import { loadRe2 } from "../../../kit/load-re2.ts";
import { classSteps } from "../../structured/linear-pattern.ts";
import { type BuildAllowance, instructionSteps } from "../build-allowance.ts";
import { type PatternProgram, patternProgram } from "./pattern-program.ts";

/** A compiled pattern. */
export interface CompiledPattern {
  program: PatternProgram;
  /**
   * Returns true if a text has a match. This is far faster than finding the position, but can't be split: at worst it takes `text.length` ×
   * `size` / 6 steps.
   */
  test(text: string): boolean;
  /** Number of instructions. */
  size: number;
}

/** Maximum instructions of one pattern, which bounds the time per character. */
const instructionsMax = 2000;

/** Compiles a pattern in RE2's syntax, or returns the problem with it. Throws BeyondAllowance. */
export function* compilePattern(
  source: string,
  allowance: BuildAllowance,
): Work<CompiledPattern | { problem: string }> {
  if (allowance.spend(source.length * instructionSteps)) yield;
  const { fault } = classSteps(source);
  if (fault !== undefined) return { problem: fault };
  const re2 = loadRe2();
  let compiled: RE2JS;
  try {
    compiled = re2.RE2JS.compile(source);
  } catch (thrown) {
    if (!(thrown instanceof re2.RE2JSException)) throw thrown;
    return { problem: `is not a pattern that can be used: ${reasonOf(thrown)}` };
  }
  const size = compiled.programSize();
  if (allowance.spend(buildingSteps(compiled))) yield;
  if (size > instructionsMax) {
    return { problem: "is too large: repeat less, or split it into several patterns" };
  }
  if (compiled.test(""))
    return { problem: "matches the empty text, and so every text; let it ask for something" };
  return { program: patternProgram(compiled.re2().prog), test: (text) => compiled.test(text), size };
}

/** Steps of compiling: each instruction has its own copy of its character ranges. */
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
