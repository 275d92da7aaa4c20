import { serviceFetch } from "../../src/kit/fetch/service-fetch.ts";
import { type Answer, answerOf, type CallOptions } from "./daemon.ts";

/** A page of the console in a browser: it keeps the cookie and the key, and sends its origin. */
export interface ConsoleBrowser {
  readonly origin: string;
  cookie: string;
  key: string;
  /** Calls `POST /console/session` and keeps the session. */
  begin(body: object, headers?: Record<string, string>): Promise<Answer>;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Calls a service under its prefix. */
  daemon(method: string, path: string, options?: CallOptions): Promise<Answer>;
  platform(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Returns the headers of every call of the page. */
  headers(): Record<string, string>;
}

export function consoleBrowser(origin: string): ConsoleBrowser {
  const browser: ConsoleBrowser = {
    origin,
    cookie: "",
    key: "",
    headers: () => ({
      origin,
      "sec-fetch-site": "same-origin",
      ...(browser.cookie === "" ? {} : { cookie: browser.cookie }),
      ...(browser.key === "" ? {} : { "x-argosy-console": browser.key }),
    }),
    async call(method, path, { body, headers = {}, signal } = {}) {
      const isRaw = typeof body === "string" || body instanceof Uint8Array;
      const response = await serviceFetch(`${origin}${path}`, {
        method,
        headers: {
          ...browser.headers(),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: isRaw ? (body as BodyInit) : JSON.stringify(body) }),
        ...(signal && { signal }),
      });
      const cookie = response.headers.get("set-cookie");
      if (cookie !== null) browser.cookie = cookie.slice(0, cookie.indexOf(";"));
      return answerOf(response);
    },
    async begin(body, headers) {
      const answer = await browser.call("POST", "/console/session", {
        body,
        ...(headers === undefined ? {} : { headers }),
      });
      if (answer.status === 201) browser.key = answer.body.key;
      return answer;
    },
    daemon: (method, path, options) => browser.call(method, `/console/api/daemon${path}`, options),
    platform: (method, path, options) => browser.call(method, `/console/api/platform${path}`, options),
  };
  return browser;
}
