import type { RE2JS } from "re2js";
import { loadRe2 } from "../../kit/load-re2.ts";

const patternCharsMax = 1000;
/** Maximum steps of a pattern. Matching takes time proportional to steps times text length: 1 to 40 ns each, measured. */
const patternStepsMax = 2000;

/** Maximum classes of many characters in a pattern that ignores case: each takes up to 1.5 ms to compile, and compiling can't be split. */
const foldedClassesMax = 20;

/** Steps of compiling, of 2 µs each, for a class of many characters. */
const stepsOfClass = 20;
const stepsOfFoldedClass = 750;

const ignoresCase = /\(\?[a-zA-Z-]*i/;
/** Named, negated and escaped classes, and ranges that end beyond ASCII. */
const largeClass = /\\[pPxuWDS]|\[\^|-[\u0080-\uffff]/g;

/** A compiled regular expression from an untrusted source, or the problem with it. */
export type LinearPattern = { pattern: RE2JS; fault?: never } | { pattern?: never; fault: string };

/** Steps of compiling the classes of a pattern, or why it takes too many; known before it is compiled. */
export function classSteps(
  source: string,
): { steps: number; fault?: never } | { steps?: never; fault: string } {
  const classes = source.match(largeClass)?.length ?? 0;
  if (!ignoresCase.test(source)) return { steps: classes * stepsOfClass };
  if (classes > foldedClassesMax)
    return {
      fault: `ignores case in ${classes} classes of many characters, of which it may have ${foldedClassesMax}; leave out (?i) or repeat less`,
    };
  return { steps: classes * stepsOfFoldedClass };
}

/** Compiles a pattern in JavaScript's syntax for an engine without backtracking (RE2). */
export function linearPattern(source: string): LinearPattern {
  if (source.length > patternCharsMax) return { fault: `may have at most ${patternCharsMax} characters` };
  const { fault } = classSteps(source);
  if (fault !== undefined) return { fault };
  const { RE2JS: engine } = loadRe2();
  try {
    const pattern = engine.compile(engine.translateRegExp(source));
    if (pattern.programSize() <= patternStepsMax) return { pattern };
    return { fault: "is too large a pattern; repeat less, or check the length by minLength and maxLength" };
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message.replace("error parsing regexp: ", "") : "unknown";
    return {
      fault: `can't be matched in linear time (${reason}); look-around and back references are not available`,
    };
  }
}
