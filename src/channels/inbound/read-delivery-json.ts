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

export type DeliveryJson = { document: unknown } | { unreadable: string };

/** Reads the body of a delivery; `unreadable` says why it is not JSON. */
export function* readDeliveryJson(body: Uint8Array): Work<DeliveryJson> {
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

/** Looking for halves, and replacing them. */
const stepsPerCharacter = 2;

/** Every escape of JSON, one after the other, so that an escaped backslash isn't taken for the start of one. */
const escapes = /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)/gs;
const half = /^\\u[dD][89a-fA-F][0-9a-fA-F]{2}$/;

/**
 * Reads the body of a delivery as strictly as other requests: throws AppError `invalid` for what two readers could understand differently.
 * Escaped halves of surrogate pairs become U+FFFD, because the provider may cut names and messages inside a pair.
 */
export function* readStrictDelivery(body: Uint8Array): Work<DeliveryJson> {
  const text = decode(body);
  if (countSteps(body.length * stepsPerCharacter)) yield;
  const isCut = text !== undefined && /\\u[dD][89a-fA-F]/.test(text);
  const whole = isCut ? text.replace(escapes, (found) => (half.test(found) ? "\\ufffd" : found)) : body;
  return { document: yield* readStrictJson(whole) };
}
