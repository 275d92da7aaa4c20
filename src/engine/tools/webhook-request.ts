import type { Problem } from "../../kit/app-error.ts";
import { isRecord } from "../../kit/json/is-record.ts";
import { headerFault } from "./network/request/request-headers.ts";

/*
 * How a webhook's input travels. `{name}` in the URL or in a header's value is replaced by that input, encoded, which then goes nowhere else.
 * The rest goes in the query of GET and DELETE, and else in the body: as JSON, or as a form if the entry's Content-Type says so.
 */

type Input = Readonly<Record<string, unknown>>;

export interface WebhookParts {
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
}

/** The parts of one request; `body` is absent for GET and DELETE. */
export interface FilledRequest {
  url: string;
  headers: Record<string, string>;
  body?: string;
}

/** `{id}`, but not `${id}`, which is a variable of the file. */
const placeholder = /(?<!\$)\{([A-Za-z_][A-Za-z0-9_]{0,63})\}/g;

const formType = "application/x-www-form-urlencoded";

/** Problems with the placeholders and the content type of an entry at `path`. */
export function webhookProblems(
  { url, method, headers }: WebhookParts,
  parameters: Readonly<Record<string, unknown>>,
  path: string,
): Problem[] {
  const problems: Problem[] = [];
  const required: unknown[] = Array.isArray(parameters.required) ? parameters.required : [];
  const check = (text: string, at: string) => {
    for (const name of namesIn(text)) {
      if (required.includes(name)) continue;
      const message = `names {${name}}, which must be a required property of parameters`;
      problems.push({ path: `${path}.config.${at}`, message });
    }
  };
  check(url, "url");
  const origin = /^https?:\/\/[^/?#]*/.exec(url)?.[0] ?? "";
  if (namesIn(origin).length > 0) {
    problems.push({ path: `${path}.config.url`, message: "may have {…} only in its path and query" });
  }
  for (const [name, value] of Object.entries(headers)) check(value, `headers.${name}`);
  const type = contentTypeOf(headers);
  if (type !== undefined && hasBody(method) && type !== formType && !isJson(type)) {
    const message = `can't be sent: a webhook's body is JSON, or a form with ${formType}`;
    problems.push({ path: `${path}.config.headers.Content-Type`, message });
  }
  return problems;
}

/** The request for one call, or the reason why its input can't be sent. */
export function fillWebhook(
  { url, method, headers }: WebhookParts,
  input: Input,
): FilledRequest | { fault: string } {
  const used = new Set<string>();
  const fill = (text: string, encode: (value: string) => string) =>
    text.replaceAll(placeholder, (_, name: string) => {
      used.add(name);
      return encode(textOf(input[name]));
    });
  const filled = fill(url, (text) => encodeURIComponent(text.toWellFormed()));
  for (const name of used) {
    if (textOf(input[name]) === "") return { fault: `${name} is part of the address and must not be empty.` };
  }
  if (segmentsOf(filled) !== segmentsOf(url.replaceAll(placeholder, "x"))) {
    return { fault: "The input would lead to another path than the tool's." };
  }
  const sent: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const own = fill(value, (text) => text);
    const fault = headerFault(name, own);
    if (fault !== undefined) return { fault };
    sent[name.toLowerCase()] = own;
  }
  const rest = Object.entries(input).filter(([name]) => !used.has(name));
  if (!hasBody(method)) return { url: withQuery(filled, rest), headers: sent };
  if (contentTypeOf(headers) === formType)
    return { url: filled, headers: sent, body: query(rest).toString() };
  const body = JSON.stringify(Object.fromEntries(rest));
  return { url: filled, headers: { "content-type": "application/json", ...sent }, body };
}

const hasBody = (method: string) => method !== "GET" && method !== "DELETE";
const isJson = (type: string) => /^application\/(?:[\w.+-]+\+)?json$/.test(type);
const namesIn = (text: string): string[] => Array.from(text.matchAll(placeholder), ([, name = ""]) => name);

function contentTypeOf(headers: Readonly<Record<string, string>>): string | undefined {
  const [, value] = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type") ?? [];
  return value?.split(";")[0]?.trim().toLowerCase();
}

/** A value in an address or header: texts, numbers and flags as they are, others as JSON. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Number of segments of a path, as a server counts them: `.` and `..` are none. */
function segmentsOf(text: string): number {
  const url = URL.parse(text, "http://path.invalid");
  return url === null ? -1 : url.pathname.split("/").length;
}

/** Lists become repeated keys, objects JSON; null and undefined are left out. */
function query(entries: readonly [string, unknown][]): URLSearchParams {
  const params = new URLSearchParams();
  for (const [key, value] of entries) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== null && item !== undefined)
        params.append(key, isRecord(item) ? JSON.stringify(item) : textOf(item));
    }
  }
  return params;
}

function withQuery(text: string, entries: readonly [string, unknown][]): string {
  const params = query(entries);
  if (params.size === 0) return text;
  const [address = "", fragment] = text.split("#");
  const joined = `${address}${address.includes("?") ? "&" : "?"}${params}`;
  return fragment === undefined ? joined : `${joined}#${fragment}`;
}
