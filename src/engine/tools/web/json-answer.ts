import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import { readStrictJson } from "../../../kit/json/strict-json.ts";

/** The JSON of a body; undefined when it is none that can be trusted. */
export async function jsonOf(body: Uint8Array): Promise<unknown> {
  try {
    return await inPieces(readStrictJson(body));
  } catch {
    return undefined;
  }
}
