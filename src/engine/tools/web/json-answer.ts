import { parseStrictJson } from "../../../kit/strict-json.ts";

/** The JSON of a body; undefined when it is none that can be trusted. */
export function jsonOf(body: Uint8Array): unknown {
  try {
    return parseStrictJson(body);
  } catch {
    return undefined;
  }
}
