import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { requestText } from "./request-text.ts";

export type ProviderChannel = "phone_messenger" | "bot_messenger" | "photo_social";

/** A message that the provider accepted. */
export interface AcceptedSend {
  channel: ProviderChannel;
  /** Phone number id, bot token's id or Instagram account. */
  account: string;
  to: string;
  /** The provider's id. */
  id: string;
  /** Text, or the caption of media. */
  text: string | undefined;
  /** `biz_opaque_callback_data`. */
  token: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  body: any;
}

/** Each request to the provider, accepted or not. */
export interface ProviderRequest {
  channel: ProviderChannel;
  /** Path without a bot's token. */
  path: string;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  body: any;
}

export type Fault =
  /** 429 with the wait in seconds. */
  | { kind: "throttled"; retryAfter: number }
  | { kind: "server_error"; status?: number; body?: string }
  /** Accepts the message and never answers. */
  | { kind: "silent" }
  /** Accepts the message and breaks the connection. */
  | { kind: "reset" }
  | { kind: "closed_window" }
  | { kind: "wrong_token" }
  /** An error as the provider writes it. */
  | { kind: "error"; status?: number; code: number; subcode?: number; text?: string; fields?: object }
  /** Any answer. The message is accepted only if `accepts`. */
  | { kind: "answer"; status: number; body: string; headers?: Record<string, string>; accepts?: boolean };

export interface StandInAccount {
  channel: ProviderChannel;
  /** External id. */
  account: string;
  token: string;
}

export interface ProviderStandIn extends AsyncDisposable {
  /** Base addresses, as the senders take them. */
  baseUrls: { graph: string; instagram: string; bot: string };
  requests: ProviderRequest[];
  accepted: AcceptedSend[];
  /** The next calls of the channel fail in this way, one fault each; `undefined` accepts one. */
  fail(channel: ProviderChannel, ...faults: (Fault | undefined)[]): void;
  /** Each call fails as this function says, after the faults of `fail`. */
  failWhen(judge: (request: ProviderRequest) => Fault | undefined): void;
  /** From now on, free text to this user is refused; templates are not. */
  closeWindow(channel: ProviderChannel, to: string): void;
  /** From now on, this user has blocked the account. */
  block(channel: ProviderChannel, to: string): void;
  /** Where deliveries go. Telegram's are set by `setWebhook`. */
  deliverTo(channel: "phone_messenger" | "photo_social", url: string, appSecret: string): void;
  /** Posts a payload to the channel's webhook, signed as the provider signs. */
  deliver(channel: ProviderChannel, account: string, payload: object): Promise<Response>;
  /** Posts a status for each accepted message that has not had it. */
  deliverReceipts(status: "sent" | "delivered" | "read" | "failed", code?: number): Promise<number>;
  /** Webhooks that bots registered, by account. */
  registered: Map<string, { url: string; secret: string; allowed: string[] }>;
}

/** Error texts of the Bot API. */
const botTexts: Record<number, string> = {
  400: "Bad Request: chat not found",
  401: "Unauthorized",
  403: "Forbidden: bot was blocked by the user",
  404: "Not Found",
  500: "Internal Server Error",
};

interface Answer {
  status: number;
  body: string;
  headers?: Record<string, string>;
}

/** Starts the send APIs of WhatsApp, Telegram and Instagram on a real socket. They behave as documented and fail on demand. */
export async function startProviderStandIn(accounts: readonly StandInAccount[]): Promise<ProviderStandIn> {
  const requests: ProviderRequest[] = [];
  const accepted: AcceptedSend[] = [];
  const queued = new Map<ProviderChannel, (Fault | undefined)[]>();
  const closed = new Set<string>();
  const blocked = new Set<string>();
  const registered: ProviderStandIn["registered"] = new Map();
  const webhooks = new Map<ProviderChannel, { url: string; secret: string }>();
  const receipted = new Set<string>();
  let judge: (request: ProviderRequest) => Fault | undefined = () => undefined;
  let updates = 700_000;

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  // Closes no idle connection, which a request may be using at that instant.
  server.keepAliveTimeout = 0;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await requestText(request);
    const call = routed(request.url ?? "", request.headers.authorization ?? "", accounts);
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      return respond(response, { status: 400, body: "{}" });
    }
    const headers = new Headers(request.headers as Record<string, string>);
    const seen = { channel: call.channel, path: call.path, headers, body };
    requests.push(seen);
    const fault = queued.get(call.channel)?.shift() ?? judge(seen);
    if (call.account === undefined || fault?.kind === "wrong_token") {
      return respond(response, wrongToken(call.channel, call.isMalformed));
    }
    const known = { ...call, account: call.account };
    if (fault !== undefined && !("accepts" in fault && fault.accepts)) {
      if (fault.kind !== "silent" && fault.kind !== "reset") {
        return respond(response, faultAnswer(known.channel, fault));
      }
    }
    const answer = answerTo(known, body);
    if (fault?.kind === "silent") return;
    if (fault?.kind === "reset") return void request.socket.resetAndDestroy();
    respond(response, fault?.kind === "answer" ? fault : answer);
  }

  function answerTo(call: KnownCall, body: unknown): Answer {
    // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape.
    const sent = body as any;
    if (call.channel === "phone_messenger") return answerWhatsApp(call, sent);
    if (call.channel === "photo_social") return answerInstagram(call, sent);
    return answerBot(call, sent);
  }

  const accept = (send: Omit<AcceptedSend, "id">, id: string) => {
    accepted.push({ ...send, id });
    return id;
  };

  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape.
  function answerWhatsApp({ channel, account }: KnownCall, body: any): Answer {
    if (body.messaging_product !== "whatsapp") return graphError(400, 100, "messaging_product is required");
    if (body.status === "read") return { status: 200, body: '{"success":true}' };
    const to = body.to ?? body.recipient;
    const content = body[body.type];
    if (typeof to !== "string") return graphError(400, 131008, "to is required");
    if (content === undefined) return graphError(400, 131008, `${body.type} is required`);
    if (body.type === "text" && (content.body === "" || content.body.length > 4096)) {
      return graphError(400, 100, "text.body must have 1 to 4096 characters");
    }
    if (blocked.has(`${channel}:${to}`)) return graphError(400, 131026, "Message undeliverable");
    if (body.type !== "template" && closed.has(`${channel}:${to}`)) return closedWindow(channel);
    const text = content.body ?? content.caption;
    const token = body.biz_opaque_callback_data;
    const id = accept({ channel, account, to, text, token, body }, `wamid.OUT${accepted.length + 1}`);
    return json(200, {
      messaging_product: "whatsapp",
      contacts: [{ input: to, wa_id: to }],
      messages: [{ id, message_status: "accepted" }],
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape.
  function answerInstagram({ channel, account }: KnownCall, body: any): Answer {
    const to = body.recipient?.id;
    if (typeof to !== "string") return graphError(400, 100, "recipient is required");
    if (body.sender_action !== undefined) return json(200, { recipient_id: to });
    const { text, attachment } = body.message ?? {};
    if ((text === undefined) === (attachment === undefined)) {
      return graphError(400, 100, "Send either text or attachment");
    }
    if (Buffer.byteLength(text ?? "") > 1000) return graphError(400, 100, "text is too long");
    if (blocked.has(`${channel}:${to}`)) return graphError(400, 551, "This person isn't available");
    if (closed.has(`${channel}:${to}`)) return closedWindow(channel);
    const id = accept({ channel, account, to, text, token: undefined, body }, `m_OUT${accepted.length + 1}`);
    return json(200, { recipient_id: to, message_id: id });
  }

  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape.
  function answerBot({ channel, account, path }: KnownCall, body: any): Answer {
    const method = path.slice(1);
    if (method === "setWebhook") {
      const secret = body.secret_token ?? "";
      if (!/^[\w-]{1,256}$/.test(secret))
        return botError(400, "Bad Request: secret token contains unallowed characters");
      registered.set(account, { url: body.url, secret, allowed: body.allowed_updates ?? [] });
      return json(200, { ok: true, result: true, description: "Webhook was set" });
    }
    if (method === "sendChatAction" || method === "answerCallbackQuery") {
      return json(200, { ok: true, result: true });
    }
    if (!["sendMessage", "sendPhoto", "sendAudio", "sendVideo", "sendDocument"].includes(method)) {
      return botError(404);
    }
    const to = body.chat_id;
    if (typeof to !== "string" || to === "") return botError(400, "Bad Request: chat_id is empty");
    if (method === "sendMessage" && !body.text) return botError(400, "Bad Request: message text is empty");
    if ((body.text ?? "").length > 4096) return botError(400, "Bad Request: message is too long");
    if (blocked.has(`${channel}:${to}`)) return botError(403);
    const text = body.text ?? body.caption;
    const id = accept({ channel, account, to, text, token: undefined, body }, String(accepted.length + 1));
    return json(200, { ok: true, result: { message_id: Number(id), chat: { id: to }, date: 1_760_000_000 } });
  }

  async function deliver(channel: ProviderChannel, account: string, payload: object): Promise<Response> {
    const body = JSON.stringify(payload);
    const hook = channel === "bot_messenger" ? registered.get(account) : webhooks.get(channel);
    if (hook === undefined) throw new Error(`No webhook of ${channel} ${account}.`);
    const signature = `sha256=${createHmac("sha256", hook.secret).update(body).digest("hex")}`;
    const proof: Record<string, string> =
      channel === "bot_messenger"
        ? { "x-telegram-bot-api-secret-token": hook.secret }
        : { "x-hub-signature-256": signature };
    return fetch(hook.url, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", ...proof },
    });
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    baseUrls: { graph: `${origin}/graph/v24.0`, instagram: `${origin}/instagram/v24.0`, bot: origin },
    requests,
    accepted,
    registered,
    fail: (channel, ...faults) => void queued.set(channel, [...(queued.get(channel) ?? []), ...faults]),
    failWhen(next) {
      judge = next;
    },
    closeWindow: (channel, to) => void closed.add(`${channel}:${to}`),
    block: (channel, to) => void blocked.add(`${channel}:${to}`),
    deliverTo: (channel, url, secret) => void webhooks.set(channel, { url, secret }),
    deliver: (channel, account, payload) =>
      deliver(
        channel,
        account,
        channel === "bot_messenger" && !("update_id" in payload)
          ? { update_id: ++updates, ...payload }
          : payload,
      ),
    async deliverReceipts(status, code) {
      let count = 0;
      for (const send of accepted) {
        const key = `${send.channel}:${send.id}:${status}`;
        const payload = receiptOf(send, status, code);
        if (payload === undefined || receipted.has(key)) continue;
        receipted.add(key);
        await deliver(send.channel, send.account, payload);
        count++;
      }
      return count;
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Call {
  channel: ProviderChannel;
  /** Undefined: the token is wrong, or of another account. */
  account: string | undefined;
  path: string;
  isMalformed: boolean;
}
type KnownCall = Call & { account: string };

function routed(url: string, authorization: string, accounts: readonly StandInAccount[]): Call {
  const bot = /^\/bot([^/]*)(\/.*)$/.exec(url);
  if (bot !== null) {
    const token = decodeURIComponent(bot[1] ?? "");
    const account = accounts.find((one) => one.channel === "bot_messenger" && one.token === token)?.account;
    return { channel: "bot_messenger", account, path: bot[2] ?? "", isMalformed: !token.includes(":") };
  }
  const token = authorization.replace(/^Bearer /, "");
  const [, id = ""] = /^\/(?:graph|instagram)\/v[\d.]+\/([^/]+)\/messages$/.exec(url) ?? [];
  const channel = id === "me" ? "photo_social" : "phone_messenger";
  const named = accounts.find(
    (one) =>
      one.channel === channel &&
      one.token === token &&
      (id === "me" || one.account === decodeURIComponent(id)),
  );
  return { channel, account: named?.account, path: url, isMalformed: false };
}

const json = (status: number, body: object, headers: Record<string, string> = {}): Answer => ({
  status,
  body: JSON.stringify(body),
  headers,
});

const graphError = (status: number, code: number, details: string, fields: object = {}) =>
  json(status, {
    error: {
      message: `(#${code}) ${details}`,
      type: "OAuthException",
      code,
      error_data: { messaging_product: "whatsapp", details },
      fbtrace_id: "A1",
      ...fields,
    },
  });

const botError = (code: number, description = botTexts[code] ?? "Error", parameters?: object) =>
  json(code, {
    ok: false,
    error_code: code,
    description,
    ...(parameters === undefined ? {} : { parameters }),
  });

const wrongToken = (channel: ProviderChannel, isMalformed: boolean) =>
  channel === "bot_messenger"
    ? botError(isMalformed ? 404 : 401)
    : graphError(401, 190, "Invalid OAuth access token.");

const closedWindow = (channel: ProviderChannel) =>
  channel === "photo_social"
    ? graphError(400, 10, "Outside of the allowed window", { error_subcode: 2534022 })
    : graphError(400, 131047, "More than 24 hours have passed since the customer last replied");

function faultAnswer(
  channel: ProviderChannel,
  fault: Exclude<Fault, { kind: "silent" | "reset" | "wrong_token" }>,
): Answer {
  switch (fault.kind) {
    case "throttled": {
      const headers = { "retry-after": String(fault.retryAfter) };
      const text = `Too Many Requests: retry after ${fault.retryAfter}`;
      const answer =
        channel === "bot_messenger"
          ? botError(429, text, { retry_after: fault.retryAfter })
          : graphError(429, channel === "phone_messenger" ? 130429 : 613, "Rate limit hit");
      return { ...answer, headers };
    }
    case "server_error":
      return { status: fault.status ?? 500, body: fault.body ?? "" };
    case "closed_window":
      return closedWindow(channel);
    case "error": {
      const { code, text = "no" } = fault;
      if (channel === "bot_messenger") return botError(code, text, fault.fields);
      const subcode = fault.subcode === undefined ? {} : { error_subcode: fault.subcode };
      return graphError(fault.status ?? 400, code, text, { ...subcode, ...fault.fields });
    }
    default:
      return fault;
  }
}

/** Delivery by which the provider reports the status; undefined if it reports none. */
function receiptOf(send: AcceptedSend, status: string, code: number | undefined): object | undefined {
  if (send.channel === "phone_messenger") {
    const errors = code === undefined ? {} : { errors: [{ code, title: "t", error_data: { details: "d" } }] };
    const one = {
      id: send.id,
      status,
      timestamp: "1760000000",
      recipient_id: send.to,
      ...(send.token === undefined ? {} : { biz_opaque_callback_data: send.token }),
      ...errors,
    };
    const value = {
      messaging_product: "whatsapp",
      metadata: { display_phone_number: "15550001111", phone_number_id: send.account },
      statuses: [one],
    };
    return {
      object: "whatsapp_business_account",
      entry: [{ id: "WABA1", changes: [{ field: "messages", value }] }],
    };
  }
  if (send.channel === "bot_messenger") return undefined;
  const times = { timestamp: 1_760_000_000_000 };
  // Instagram sends an echo of each message, and tells when the user has seen it.
  const item =
    status === "sent"
      ? {
          sender: { id: send.account },
          recipient: { id: send.to },
          ...times,
          message: { mid: send.id, is_echo: true, ...send.body.message },
        }
      : status === "read"
        ? { sender: { id: send.to }, recipient: { id: send.account }, ...times, read: { mid: send.id } }
        : undefined;
  return (
    item && { object: "instagram", entry: [{ id: send.account, time: times.timestamp, messaging: [item] }] }
  );
}

function respond(response: ServerResponse, { status, body, headers }: Answer): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(body);
}
