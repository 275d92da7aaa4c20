import type { AppError } from "../../../../kit/app-error.ts";
import { isRecord } from "../../../../kit/json/is-record.ts";
import type { JsonObject } from "../../mapping/section-table.ts";
import {
  type CloudPorts,
  callCloud,
  PageTokens,
  pollUntil,
  refusalError,
  retryAfterSeconds,
} from "../cloud-call.ts";
import { accessTokens, type ServiceAccountKey } from "./access-token.ts";

export interface GoogleApiSettings {
  project: string;
  location: string;
  key: ServiceAccountKey;
  /** An address in place of Google's own, for private endpoints. */
  endpoint?: string | undefined;
}

export const cloud = "Google Cloud";

/** The two APIs that are called, with their versions. */
const services = {
  aiplatform: { version: "v1beta1", host: (location: string) => `${location}-aiplatform.googleapis.com` },
  modelarmor: { version: "v1", host: (location: string) => `modelarmor.${location}.rep.googleapis.com` },
};

export type GoogleService = keyof typeof services;

export interface GoogleCall {
  service: GoogleService;
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path below the version, such as `projects/p/locations/l/ragCorpora`. */
  path: string;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  /** The action for errors: `create help-desk`. */
  action: string;
  signal: AbortSignal;
}

/** Calls Google Cloud's REST APIs as a service account. */
export class GoogleApi {
  /** `projects/<project>/locations/<location>`. */
  readonly parent: string;
  readonly #settings: GoogleApiSettings;
  readonly #ports: CloudPorts;
  readonly #token: (signal: AbortSignal) => Promise<string>;

  constructor(settings: GoogleApiSettings, ports: CloudPorts) {
    this.#settings = settings;
    this.#ports = ports;
    this.#token = accessTokens(ports, settings.key);
    this.parent = `projects/${settings.project}/locations/${settings.location}`;
  }

  /** Returns the answer's body; undefined if there is no such resource. Throws the cloud's refusal. */
  async call({
    service,
    method,
    path,
    query,
    body,
    action,
    signal,
  }: GoogleCall): Promise<JsonObject | undefined> {
    const { version, host } = services[service];
    const { endpoint, location } = this.#settings;
    const base = endpoint ?? `https://${host(location)}`;
    const search = query === undefined ? "" : `?${new URLSearchParams(query)}`;
    const url = `${base.replace(/\/$/, "")}/${version}/${path}${search}`;
    const answer = await callCloud(
      this.#ports,
      async () => ({
        method,
        url,
        headers: {
          authorization: `Bearer ${await this.#token(signal)}`,
          accept: "application/json",
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
      {
        ...(endpoint !== undefined && { trustedOrigin: new URL(endpoint).origin }),
        isRead: method === "GET",
        signal,
      },
    );
    const content = parsed(answer.text);
    if (answer.status >= 200 && answer.status < 300) return content;
    if (answer.status === 404 && method !== "POST") return undefined;
    const error = isRecord(content.error) ? content.error : {};
    throw refusal(action, answer.status, error, retryAfterSeconds(answer.headers));
  }

  /** Returns all elements of a listing. */
  async list(service: GoogleService, collection: string, signal: AbortSignal): Promise<JsonObject[]> {
    const items: JsonObject[] = [];
    const tokens = new PageTokens();
    for (let pageToken = ""; ; ) {
      const query = { pageSize: "100", ...(pageToken !== "" && { pageToken }) };
      const path = `${this.parent}/${collection}`;
      const action = `list ${collection}`;
      const page = (await this.call({ service, method: "GET", path, query, action, signal })) ?? {};
      const elements = page[collection];
      if (Array.isArray(elements)) items.push(...elements.filter(isRecord));
      const next = tokens.next(page.nextPageToken, action);
      if (next === undefined) return items;
      pageToken = next;
    }
  }

  /** Waits for a long-running operation and returns its response; undefined if the cloud no longer knows it. Throws its error. */
  async wait(
    service: GoogleService,
    operation: string,
    action: string,
    signal: AbortSignal,
  ): Promise<JsonObject | undefined> {
    const ended = await pollUntil(
      this.#ports.clock,
      signal,
      `Google Cloud's operation ${operation}`,
      async () => {
        const state = await this.call({ service, method: "GET", path: operation, action, signal });
        if (state === undefined) return { isUnknown: true as const };
        return state.done === true ? { isUnknown: false as const, state } : undefined;
      },
    );
    if (ended.isUnknown) return undefined;
    const { error, response } = ended.state;
    if (isRecord(error)) throw refusal(action, statusOfCode[Number(error.code)] ?? 500, error, undefined);
    return isRecord(response) ? response : {};
  }
}

/** HTTP statuses of google.rpc.Code. */
const statusOfCode: Readonly<Record<number, number>> = {
  3: 400,
  4: 504,
  5: 404,
  6: 409,
  7: 403,
  8: 429,
  9: 400,
  10: 409,
  11: 400,
  12: 501,
  13: 500,
  14: 503,
  16: 401,
};

function refusal(
  action: string,
  status: number,
  error: JsonObject,
  headerSeconds: number | undefined,
): AppError {
  const details = Array.isArray(error.details) ? error.details.filter(isRecord) : [];
  const delay = details.map(({ retryDelay }) => retryDelay).find((one) => typeof one === "string");
  const seconds = typeof delay === "string" ? Math.ceil(Number.parseFloat(delay)) : Number.NaN;
  return refusalError({
    cloud,
    action,
    status,
    code: typeof error.status === "string" ? error.status : "",
    message: typeof error.message === "string" ? error.message : "",
    retryAfterSeconds: headerSeconds ?? (Number.isFinite(seconds) ? seconds : undefined),
  });
}

function parsed(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
