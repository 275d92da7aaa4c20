import { AppError, type ErrorKind, type Problem, statusOfKind } from "../kit/app-error.ts";
import type { FetchLike } from "../kit/fetch/local-fetch.ts";
import { readSse } from "../kit/fetch/sse.ts";
import { isRecord } from "../kit/json/is-record.ts";

/** Address of a service: in this process, through a socket, or over the network. */
export interface ServiceAddress {
  fetch: FetchLike;
  /** For example `http://127.0.0.1:8080`, with a path if the service is behind a prefix. */
  baseUrl: string;
  /** Headers of every call, such as a credential. */
  headers?: Readonly<Record<string, string>>;
  /** Reads the error of an answer, for a service whose error bodies differ from the others'. */
  refusalOf?: (response: Response) => Promise<AppError>;
}

export interface CallBody {
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged, with the content type `type`. */
  text?: string;
  bytes?: Uint8Array<ArrayBuffer>;
  type?: string;
  headers?: Readonly<Record<string, string>>;
  accept?: string;
  signal?: AbortSignal | undefined;
}

/** Calls a service. Throws the AppError that the service sent. */
export async function callService(
  address: ServiceAddress,
  method: string,
  path: string,
  {
    body,
    text,
    bytes,
    type = "application/json",
    headers,
    accept = "application/json",
    signal,
  }: CallBody = {},
): Promise<Response> {
  const sent = text ?? bytes ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await address.fetch(
    new Request(serviceUrl(address.baseUrl, path), {
      method,
      headers: {
        accept,
        ...(sent === undefined ? {} : { "content-type": type }),
        ...address.headers,
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
      ...(signal === undefined ? {} : { signal }),
      // No service redirects, and a redirect would pass the credential on.
      redirect: "manual",
    }),
  );
  if (response.ok) return response;
  throw await (address.refusalOf ?? refusalOf)(response);
}

/**
 * URL of a service's path. The base URL may itself have a path. Throws AppError `invalid_request` for the segments `.` and `..` and for empty
 * ones: every reader of an address drops them, also escaped, so the request would be about the folder above (`DELETE /tenants/t/keys/..`
 * deletes the tenant).
 */
export function serviceUrl(baseUrl: string, path: string): URL {
  const [route = ""] = path.split("?", 1);
  const parts = route === "/" ? [] : route.split("/").slice(1);
  const dropped = parts.find((part) => ["", ".", ".."].includes(part));
  if (dropped !== undefined)
    throw new AppError("invalid", "invalid_request", `${JSON.stringify(dropped)} can't be a name or an id.`);
  return new URL(`${baseUrl.replace(/\/+$/, "")}${path}`);
}

/** Yields the events of a JSON event stream as they arrive. Stopping early closes it. */
export async function* streamService<Event>(
  address: ServiceAddress,
  method: string,
  path: string,
  call: CallBody,
): AsyncGenerator<Event, void> {
  const response = await callService(address, method, path, { ...call, accept: "text/event-stream" });
  if (response.body === null) return;
  for await (const batch of readSse(response.body)) {
    for (const data of batch) yield JSON.parse(data) as Event;
  }
}

/** Converts a refused request to the service's AppError. The kind follows from the status. */
export async function refusalOf(response: Response): Promise<AppError> {
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  return errorOf(parseBody(await response.text(), response.status), response.status, retryAfter);
}

/** Converts the fields of an error body to its AppError, also those of an `error` event in a stream. */
export function errorOf(
  { error, message, hint, problems, ...facts }: RefusalBody,
  status: number,
  retryAfter = Number.NaN,
): AppError {
  return new AppError(kindOf(status), error ?? "internal", message ?? `The service answered ${status}.`, {
    details: {
      ...(hint === undefined ? {} : { hint }),
      ...(problems === undefined ? {} : { problems }),
      ...(Number.isFinite(retryAfter) ? { retryAfterSeconds: retryAfter } : {}),
      ...(Object.keys(facts).length === 0 ? {} : { facts }),
    },
  });
}

interface RefusalBody extends Record<string, unknown> {
  error?: string;
  message?: string;
  hint?: string;
  problems?: Problem[];
}

/** Reads the body of any service. The cloud repeats the status, and names its problems `details`. */
function parseBody(text: string, sentStatus: number): RefusalBody {
  try {
    const body: unknown = JSON.parse(text);
    if (!isRecord(body)) return {};
    const { status, details, ...fields } = body as RefusalBody & { details?: unknown };
    return {
      ...(status === undefined || status === sentStatus ? {} : { status }),
      ...(Array.isArray(details) ? { problems: details } : details === undefined ? {} : { details }),
      ...fields,
    };
  } catch {
    return {};
  }
}

/** Returns the kind of error with a status; of others, the nearest. */
export function kindOf(status: number): ErrorKind {
  for (const [kind, kindStatus] of Object.entries(statusOfKind)) {
    if (kindStatus === status) return kind as ErrorKind;
  }
  return status >= 400 && status < 500 ? "invalid" : "upstream_failed";
}
