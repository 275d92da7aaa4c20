import type { ResponseItem } from "../../../contracts/daemon/responses.ts";
import type { ModelEvent, ThoughtDetail } from "../../../engine/models/model.ts";
import { isRecord } from "../../../kit/json/is-record.ts";
import { parseJson } from "../../../kit/json/parse-json.ts";

/*
 * Reasoning items: what the model thought, as a text for its reader; and, if the client asks for `reasoning.encrypted_content`, what the
 * model needs back with its calls, as one opaque text.
 */

/** Thoughts of a turn, as messages of Chat Completions carry them. */
export interface ThoughtFields {
  reasoning_content: string;
  reasoning_details?: Record<string, unknown>[];
  /** Data that the provider needs back with each call, by its id. */
  extra?: Record<string, unknown>;
}

const detailsMax = 1000;

/** The `encrypted_content` of an answer; undefined if its provider needs nothing back. */
export function encodeThoughts({
  details,
  extra,
}: Pick<Extract<ModelEvent, { type: "end" }>, "details" | "extra">): string | undefined {
  if (details === undefined && extra === undefined) return undefined;
  return Buffer.from(JSON.stringify({ details, extra })).toString("base64");
}

/** Reads an item that a client brings back. Content that another server encrypted says nothing to us. */
export function readThoughts({ summary, content, encrypted_content }: ResponseItem): ThoughtFields {
  const parts = Array.isArray(content) && content.length > 0 ? content : (summary ?? []);
  const text = parts.map((part) => part.text ?? "").join("\n\n");
  const decrypted = encrypted_content
    ? parseJson(Buffer.from(encrypted_content, "base64").toString())
    : undefined;
  const { details, extra } = isRecord(decrypted) ? decrypted : {};
  return {
    reasoning_content: text,
    ...(Array.isArray(details) && {
      reasoning_details: details.filter(isRecord).slice(0, detailsMax) as (ThoughtDetail &
        Record<string, unknown>)[],
    }),
    ...(isRecord(extra) && { extra }),
  };
}
