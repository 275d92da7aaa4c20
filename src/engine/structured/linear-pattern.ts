import type { RE2JS } from "re2js";
import { loadRe2 } from "../../kit/load-re2.ts";

const patternCharsMax = 1000;
/** Maximum steps of a pattern. Matching takes time proportional to steps times text length: 1 to 40 ns each, measured. */
const patternStepsMax = 2000;

/** A compiled regular expression from an untrusted source, or the problem with it. */
export type LinearPattern = { pattern: RE2JS; fault?: never } | { pattern?: never; fault: string };

/** Compiles a pattern in JavaScript's syntax for an engine without backtracking (RE2). */
export function linearPattern(source: string): LinearPattern {
  if (source.length > patternCharsMax) return { fault: `may have at most ${patternCharsMax} characters` };
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
