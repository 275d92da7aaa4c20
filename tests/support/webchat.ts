import { type Answer, answerOf } from "./daemon.ts";
import { asAdmin, type TestGateway } from "./gateway.ts";

export const shopOrigin = "https://shop.example";

/** A page of a site, as a browser calls from it. */
export interface SitePage {
  call(method: string, path: string, options?: PageCall): Promise<Answer>;
  /** Begins a visit and returns its token. */
  begin(): Promise<string>;
  say(token: string, texto: string, ref?: string): Promise<Answer>;
  read(token: string, desde?: string): Promise<Answer>;
  stream(token: string, query?: string, headers?: Record<string, string>): Promise<EventReader>;
}

export interface PageCall {
  token?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
}

/** A web chat account of a tenant whose chat pages of `shopOrigin` may show. */
export async function openSite(
  gateway: TestGateway,
  tenantId = "a",
  account = "shop",
  origins = [shopOrigin],
): Promise<string> {
  const id = await gateway.account(tenantId, "webchat", account);
  const body = { origins };
  const answer = await gateway.call("PUT", `/admin/webchat/sites/${account}`, { headers: asAdmin, body });
  if (answer.status !== 200) throw new Error(`The site was refused: ${answer.text}`);
  return id;
}

/** `null`: the page sends no origin. */
export function sitePage(url: string, account = "shop", origin: string | null = shopOrigin): SitePage {
  const send = (method: string, path: string, { token, body, headers = {} }: PageCall = {}) =>
    fetch(`${url}/webchat/${account}${path}`, {
      method,
      headers: {
        "sec-fetch-site": "cross-site",
        ...(origin === null ? {} : { origin }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  const page: SitePage = {
    call: async (method, path, options) => answerOf(await send(method, path, options)),
    async begin() {
      const { status, body, text } = await page.call("POST", "/session");
      if (status !== 201) throw new Error(`No visit began: ${text}`);
      return body.token;
    },
    say: (token, texto, ref) =>
      page.call("POST", "/messages", { token, body: { texto, ...(ref === undefined ? {} : { ref }) } }),
    read: (token, desde) =>
      page.call("GET", `/messages${desde === undefined ? "" : `?desde=${encodeURIComponent(desde)}`}`, {
        token,
      }),
    stream: async (token, query = "", headers = {}) =>
      eventReader(await send("GET", `/stream${query}`, { token, headers })),
  };
  return page;
}

/** Reads server-sent events one by one. */
export interface EventReader extends AsyncDisposable {
  response: Response;
  /** Returns the next event as `name data`; undefined at the end. */
  next(): Promise<{ event: string; id: string | undefined; data: string } | undefined>;
}

function eventReader(response: Response): EventReader {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  return {
    response,
    async next() {
      for (;;) {
        const end = text.indexOf("\n\n");
        if (end >= 0) {
          const lines = text.slice(0, end).split("\n");
          text = text.slice(end + 2);
          const field = (name: string) =>
            lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
          const event = field("event");
          if (event === undefined) continue;
          return { event, id: field("id"), data: field("data") ?? "" };
        }
        const read = await reader?.read();
        if (read === undefined || read.done) return undefined;
        text += decoder.decode(read.value, { stream: true });
      }
    },
    async [Symbol.asyncDispose]() {
      await reader?.cancel();
    },
  };
}
