import { AppError } from "../app-error.ts";
import { countSteps, type Work } from "../concurrency/others-turn.ts";
import { JsonReader } from "./json-reader.ts";

/** A text up to this is read in one piece: 2 ms at most, and many times faster than in pieces. */
const wholeCharsDefault = 256 * 1024;
const stepsPerCharacter = 1;

const limits = { depthMax: 1024, keysMax: Number.POSITIVE_INFINITY, isLenient: true };

/**
 * The value of a JSON text as `JSON.parse` reads it, as work in pieces; undefined when it is none. For what servers of others
 * answer, which may be lax and large. A text longer than `wholeCharsMax` that is nested more than 1024 deep counts as none.
 */
export function* readPlainJson(text: string, wholeCharsMax: number = wholeCharsDefault): Work<unknown> {
  if (text.length <= wholeCharsMax) {
    if (countSteps(text.length * stepsPerCharacter)) yield;
    return parsed(text);
  }
  try {
    const reader = new JsonReader(text, limits);
    while (!reader.isAtEnd) if (countSteps(reader.readOn()) && !reader.isAtEnd) yield;
    return reader.result;
  } catch (thrown) {
    if (thrown instanceof AppError) return undefined;
    throw thrown;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
