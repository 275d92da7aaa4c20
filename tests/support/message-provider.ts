import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { requestText } from "./request-text.ts";

/** The provider's answer to one message; by default it accepts the message. */
export interface ProviderStep {
  status?: number;
  headers?: Record<string, string>;
  /** Sent unchanged; by default the provider's answer to an accepted message. */
  body?: string;
  /** Waits for this before it answers. */
  after?: Promise<unknown>;
  /** Breaks the connection instead: before the first byte of the answer, or inside its body. */
  breaks?: "before" | "inside";
}

/** A message that was sent to a user. */
export interface SentMessage {
  path: string;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  body: any;
  /** The user's address. */
  recipient: string;
  text: string;
}

export type ProviderScript =
  | readonly ProviderStep[]
  | ((message: SentMessage, number: number) => ProviderStep | Promise<ProviderStep>);

/** The send API of WhatsApp's Cloud API, on a real socket. */
export interface MessageProvider extends AsyncDisposable {
  /** Its address with a version, for `api_base_url`. */
  url: string;
  sent: SentMessage[];
  /** Files of users' messages, by the provider's id. */
  files: Map<string, { bytes: Uint8Array; mimeType: string }>;
  /** Returns the texts sent to a user, in order. */
  textsTo(recipient: string): string[];
  /** Resolves when `count` messages have been sent. */
  sentCount(count: number): Promise<void>;
}

/** Starts a provider that plays its steps one after the other, and then accepts everything. */
export async function startMessageProvider(script: ProviderScript = []): Promise<MessageProvider> {
  const sent: SentMessage[] = [];
  const files: MessageProvider["files"] = new Map();
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  // Closes no idle connection, which a request may be using at that instant.
  server.keepAliveTimeout = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "GET") return answerFile(request, response);
    const body = JSON.parse(await requestText(request));
    const message = {
      path: request.url ?? "",
      headers: new Headers(request.headers as Record<string, string>),
      body,
      recipient: body.to ?? body.recipient,
      text: body.text?.body,
    };
    const number = sent.push(message);
    for (const look of waiting) look();
    const step = typeof script === "function" ? await script(message, number) : (script[number - 1] ?? {});
    await step.after;
    if (step.breaks === "before") return void request.socket.resetAndDestroy();
    const text = step.body ?? accepted(message.recipient, number);
    response.writeHead(step.status ?? 200, { "content-type": "application/json", ...step.headers });
    if (step.breaks === "inside") {
      await new Promise((resolve) => response.write(text.slice(0, 5), resolve));
      return void request.socket.destroySoon();
    }
    response.end(text);
  }

  /** `/v24.0/<id>` names the address of a file. */
  function answerFile({ url = "", headers }: IncomingMessage, response: ServerResponse): void {
    const file = files.get(url.split("/").at(-1) ?? "");
    if (file === undefined) return void response.writeHead(404).end("{}");
    if (url.startsWith("/files/"))
      return void response.writeHead(200, { "content-type": file.mimeType }).end(file.bytes);
    response.end(JSON.stringify({ url: `http://${headers.host}/files/${url.split("/").at(-1)}` }));
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v24.0`,
    sent,
    files,
    textsTo: (recipient) => sent.filter((one) => one.recipient === recipient).map((one) => one.text),
    sentCount: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (sent.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const accepted = (recipient: string, number: number) =>
  JSON.stringify({
    messaging_product: "whatsapp",
    contacts: [{ input: recipient, wa_id: recipient }],
    messages: [{ id: `wamid.OUT${number}` }],
  });

/** An error of the provider. */
export const providerError = (code: number | undefined, fields: object = {}) =>
  JSON.stringify({
    error: { message: "(#1) no", type: "OAuthException", code, fbtrace_id: "A1", ...fields },
  });

/** The account of every delivery below. */
export const phoneNumberId = "PNID1";
export const appSecret = "0123456789abcdef0123456789abcdef";

/** Returns a delivery with these messages, as the provider writes it. */
export function deliveryOf(messages: readonly object[], value: object = {}): string {
  return JSON.stringify({
    object: "whatsapp_business_account",
    entry: [
      {
        id: "WABA1",
        changes: [
          {
            field: "messages",
            value: {
              messaging_product: "whatsapp",
              metadata: { display_phone_number: "15550001111", phone_number_id: phoneNumberId },
              contacts: [{ profile: { name: "Ana" }, wa_id: "5215550002222" }],
              messages,
              ...value,
            },
          },
        ],
      },
    ],
  });
}

/** A text message of a user. */
export const textMessage = (id: string, body: string, fields: object = {}) => ({
  from: "5215550002222",
  id,
  timestamp: "1760000000",
  type: "text",
  text: { body },
  ...fields,
});

/** A status of a message that we sent. */
export const statusOf = (token: string, status: string, fields: object = {}) => ({
  id: "wamid.OUT",
  status,
  timestamp: "1760000000",
  recipient_id: "5215550002222",
  biz_opaque_callback_data: token,
  ...fields,
});

/** Returns the header's value for a body. */
export function signatureOf(body: string | Uint8Array, secret = appSecret): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}
