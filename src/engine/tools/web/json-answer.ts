import { parseStrictJson } from "../../../kit/strict-json.ts";

/** The JSON of a body; undefined if it is invalid or ambiguous. */
export function jsonOf(body: Uint8Array): unknown {
  try {
    return parseStrictJson(body);
  } catch {
    return undefined;
  }
}
