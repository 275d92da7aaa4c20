import { AppError } from "../../kit/app-error.ts";
import { countSteps, type Work } from "../../kit/concurrency/others-turn.ts";
import { readStrictJson } from "../../kit/json/strict-json.ts";

/**
 * Accepts NUL, half surrogate pairs, equal keys and rounded numbers: a user's text may lead to the first two, and a refused delivery comes
 * again for days with everything else in it.
 */
const limits = { depthMax: 64, keysMax: Number.POSITIVE_INFINITY, isLenient: true };

/** Decoding a byte takes less than a nanosecond. */
const bytesPerStep = 16;

/** Reads the body of a delivery; `unreadable` says why it is not JSON. */
export function* readDeliveryJson(body: Uint8Array): Work<{ document: unknown } | { unreadable: string }> {
  if (countSteps(body.length / bytesPerStep)) yield;
  const text = decode(body);
  if (text === undefined) return { unreadable: "The body is not valid UTF-8." };
  try {
    return { document: yield* readStrictJson(text, limits) };
  } catch (thrown) {
    if (thrown instanceof AppError) return { unreadable: thrown.message };
    throw thrown;
  }
}

function decode(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}
