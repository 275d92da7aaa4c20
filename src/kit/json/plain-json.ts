import { AppError } from "../app-error.ts";
import { countSteps, type Work } from "../concurrency/others-turn.ts";
import { JsonReader } from "./json-reader.ts";
import { parseJson } from "./parse-json.ts";

/** A text up to this is read in one piece: 2 ms at most, and many times faster than in pieces. */
const wholeCharsDefault = 256 * 1024;
const stepsPerCharacter = 1;

const limits = { depthMax: 1024, keysMax: Number.POSITIVE_INFINITY, isLenient: true };

export interface PlainJsonLimits {
  /** A text up to this is read in one piece. */
  wholeCharsMax?: number;
  /** How many values the whole may have, those inside others counted. Only a text that is read in pieces may exceed it. */
  values?: { max: number; tooMany: () => Error };
}

/**
 * The value of a JSON text as `JSON.parse` reads it, as work in pieces; undefined when it is none. For what servers of others
 * answer, which may be lax and large. A text longer than `wholeCharsMax` that is nested more than 1024 deep counts as none.
 */
export function* readPlainJson(
  text: string,
  { wholeCharsMax = wholeCharsDefault, values }: PlainJsonLimits = {},
): Work<unknown> {
  if (text.length <= wholeCharsMax) {
    if (countSteps(text.length * stepsPerCharacter)) yield;
    return parseJson(text);
  }
  const reader = begun(text);
  while (reader !== undefined && !reader.isAtEnd) {
    const steps = stepsRead(reader);
    if (steps === undefined) return undefined;
    if (values !== undefined && reader.values > values.max) throw values.tooMany();
    if (countSteps(steps) && !reader.isAtEnd) yield;
  }
  return reader?.result;
}

const begun = (text: string) => ifReadable(() => new JsonReader(text, limits));
const stepsRead = (reader: JsonReader) => ifReadable(() => reader.readOn());

function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof AppError) return undefined;
    throw thrown;
  }
}
