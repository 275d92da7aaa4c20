import { isRecord } from "../../../../kit/json/is-record.ts";
import { parseJson } from "../../../../kit/json/parse-json.ts";
import { toJson } from "./json.ts";

/*
 * Reads which fields of a request a server refuses. OpenAI names them in `param`, and in the message in quotes ("Unsupported parameter:
 * 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."); servers in Python in `loc` ("Extra inputs are not
 * permitted"), Google in the message ("Unknown name \"frequency_penalty\"").
 */

/** The words by which a field itself is refused, and not only its value: "only the default value" means that it can't be chosen. */
const refusesField =
  /unsupported|not (?:be )?supported|(?:does|do)(?:n't| not) (?:support|accept|allow)|unrecognized|unknown|unexpected|extra[_ ](?:inputs?|fields?|forbidden)|not (?:permitted|allowed|recognized)|only the default|cannot find field|no longer (?:supported|accepted)|deprecated|is (?:not|only) available/i;

export interface FieldRefusal {
  /** The refused fields among those of the request. */
  fields: readonly string[];
  /** True if the text says that the field is not supported; false: its value may be wrong. */
  isUnsupported: boolean;
  /** The server's text. */
  text: string;
}

/** Returns which of `sent` the error of a server names. */
export function readFieldRefusal(body: string, sent: readonly string[]): FieldRefusal {
  const value = parseJson(body);
  const text = messageOf(value ?? body);
  const named = namesIn(value);
  const isNamed = (field: string) => named.some((name) => name === field || name.endsWith(`.${field}`));
  const byName = sent.filter(isNamed);
  const fields = byName.length > 0 ? byName : sent.filter((field) => new RegExp(`\\b${field}\\b`).test(text));
  return { fields, isUnsupported: refusesField.test(text), text };
}

/** The texts of an error without what it repeats of the request. */
function messageOf(value: unknown): string {
  if (!isRecord(value)) return typeof value === "string" ? value : toJson(value);
  const inner = isRecord(value.error) ? value.error : value;
  const parts = [inner.message, inner.code, inner.detail, typeof value.error === "string" ? value.error : ""];
  return parts.map((part) => (typeof part === "string" ? part : problemsIn(part).join(" "))).join(" ");
}

/** Python's validators: `[{loc, msg, type, input}]`, in which `input` repeats what was sent. */
function problemsIn(value: unknown): string[] {
  if (isRecord(value)) return problemsIn(value.detail);
  if (!Array.isArray(value)) return [];
  return value.flatMap((item) => (isRecord(item) ? [`${String(item.type)} ${String(item.msg)}`] : []));
}

function namesIn(value: unknown): string[] {
  if (!isRecord(value)) return [];
  const inner = isRecord(value.error) ? value.error : value;
  const param = typeof inner.param === "string" ? [inner.param] : [];
  return [...param, ...[value.detail, inner.detail, inner.message].flatMap(locationsIn)];
}

function locationsIn(value: unknown): string[] {
  if (isRecord(value)) return locationsIn(value.detail);
  if (!Array.isArray(value)) return [];
  return value.flatMap((item) =>
    isRecord(item) && Array.isArray(item.loc) ? item.loc.filter((part) => typeof part === "string") : [],
  );
}
