import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import { readStrictJson } from "../../../kit/json/strict-json.ts";
import type { NetworkAnswer } from "../network/guarded-network.ts";

/** The JSON of a body; undefined when it is none that can be trusted. */
export async function jsonOf(body: Uint8Array): Promise<unknown> {
  try {
    return await inPieces(readStrictJson(body));
  } catch {
    return undefined;
  }
}

/** A field of an unknown value. */
export function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** A text field; empty if it is not a text. */
export function textField(value: unknown, name: string): string {
  const text = field(value, name);
  return typeof text === "string" ? text : "";
}

/** A list field; undefined if it is not a list. */
export function listField(value: unknown, name: string): readonly unknown[] | undefined {
  const list = field(value, name);
  return Array.isArray(list) ? list : undefined;
}

/** The problem with an answer's status, in a sentence for a model; undefined if it is a success. */
export function statusFault(
  who: string,
  { status, headers }: Pick<NetworkAnswer, "status" | "headers">,
): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  const problem = `${who} answered with status ${status}`;
  if (status >= 300 && status < 400) return `${problem}, which leads nowhere; try another URL.`;
  if (status === 401 || status === 403)
    return `${problem}: it is not open to everybody; look for another source.`;
  if (status === 404 || status === 410)
    return `${problem}: there is nothing at this URL; check it or look for another.`;
  if (status === 429) return `${problem}: it was asked too often; ${waitOf(headers)}.`;
  if (status >= 500) return `${problem}: it has a fault of its own; try again later or use another source.`;
  return `${problem} and gave nothing; try another URL.`;
}

const waitSecondsMax = 366 * 86_400;

/** When a rate-limited server may be called again, according to its headers. */
function waitOf(headers: Headers): string {
  const seconds = secondsIn(headers.get("retry-after"));
  return seconds === undefined ? "try again later" : `it may be asked again in ${seconds} seconds`;
}

/** The seconds in a header, rounded up; undefined for a date or an invalid value. */
export function secondsIn(header: string | null): number | undefined {
  if (header === null || !/^\s{0,4}\d{1,9}(?:\.\d{1,9})?\s{0,4}$/.test(header)) return undefined;
  const seconds = Math.ceil(Number(header));
  return seconds <= waitSecondsMax ? seconds : undefined;
}
