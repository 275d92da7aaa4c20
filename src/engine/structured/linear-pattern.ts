import type { RE2JS } from "re2js";
import { loadRe2 } from "../../kit/load-re2.ts";

const patternCharsMax = 1000;
/** A pattern is matched in time of its steps times the text: 1 to 40 ns for each of them, measured. */
const patternStepsMax = 2000;

/** A regular expression of somebody whom we don't trust with our time, compiled; or what is wrong with it. */
export type LinearPattern = { pattern: RE2JS; fault?: never } | { pattern?: never; fault: string };

/** Compiles a pattern in JavaScript's notation for an engine that never goes back in the text (RE2). */
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
