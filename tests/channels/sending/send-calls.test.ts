import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { channels } from "../../../src/channels/channel-registry.ts";
import {
  type OutgoingMessage,
  partOfToken,
  tokenOfPart,
} from "../../../src/channels/sending/outgoing-message.ts";
import type { ProviderCall } from "../../../src/channels/sending/provider-call.ts";
import { createTelegramSender } from "../../../src/channels/telegram/telegram-sender.ts";
import { createWhatsAppSender } from "../../../src/channels/whatsapp/whatsapp-sender.ts";
import { type SenderWorld, startSenders } from "../../support/channel-senders.ts";
import type { ProviderChannel } from "../../support/provider-stand-in.ts";
import { recordingLogger } from "../../support/recording-logger.ts";
import { sendMessage } from "../../support/send-message.ts";

let world: SenderWorld;
beforeAll(async () => {
  world = await startSenders();
});
afterAll(() => world[Symbol.asyncDispose]());

const phone = { kind: "phone", address: "5215550002222" } as const;
const image = { kind: "image", url: "https://files.example/a.jpg" } as const;

/** Sends a message and returns the bodies that the provider received. */
async function bodiesOf(
  channel: ProviderChannel,
  message: Omit<OutgoingMessage, "to"> & Partial<OutgoingMessage>,
) {
  const before = world.provider.requests.length;
  const result = await sendMessage(world.sender(channel), { to: phone, ...message });
  const calls = world.provider.requests.slice(before);
  return { result, bodies: calls.map(({ body }) => body), paths: calls.map(({ path }) => path), calls };
}

describe("WhatsApp", () => {
  const envelope = { messaging_product: "whatsapp", recipient_type: "individual", to: "5215550002222" };

  test("a group is a recipient of its own type", async () => {
    const { bodies } = await bodiesOf("phone_messenger", {
      to: { kind: "group", address: "Z3JvdXA" },
      text: "hola",
    });
    expect(bodies).toMatchObject([{ recipient_type: "group", to: "Z3JvdXA" }]);
  });

  test("text in reply to a message", async () => {
    const { bodies, result, calls } = await bodiesOf("phone_messenger", {
      text: "hola",
      replyTo: "wamid.Q",
      token: "msg_1",
    });
    expect(bodies).toEqual([
      {
        ...envelope,
        type: "text",
        text: { body: "hola", preview_url: false },
        context: { message_id: "wamid.Q" },
        biz_opaque_callback_data: "msg_1",
      },
    ]);
    expect(result).toMatchObject({
      outcome: "accepted",
      partsDone: 1,
      providerIds: [expect.stringMatching(/^wamid\./)],
    });
    expect(calls[0]?.headers.get("authorization")).toBe("Bearer EAAB-phone-token-0123456789");
  });

  test("a user without a phone number", async () => {
    const { bodies } = await bodiesOf("phone_messenger", {
      to: { kind: "bsuid", address: "MX.1" },
      text: "x",
    });
    expect(bodies[0]).toMatchObject({ recipient: "MX.1" });
    expect(bodies[0]).not.toHaveProperty("to");
  });

  test("a text becomes the caption of an image, and is a message of its own before audio", async () => {
    expect((await bodiesOf("phone_messenger", { text: "see", media: image })).bodies).toMatchObject([
      { type: "image", image: { link: image.url, caption: "see" } },
    ]);
    const { bodies } = await bodiesOf("phone_messenger", {
      text: "hear",
      media: { kind: "audio", url: "https://files.example/a.ogg", caption: "this" },
      token: "m",
    });
    expect(bodies.map(({ type, biz_opaque_callback_data }) => [type, biz_opaque_callback_data])).toEqual([
      ["text", "m"],
      ["text", "m.1"],
      ["audio", "m.2"],
    ]);
    expect(bodies[2].audio).toEqual({ link: "https://files.example/a.ogg" });
  });

  test("templates with texts by position and by name, also in a closed window", async () => {
    world.provider.closeWindow("phone_messenger", "52999");
    const to = { kind: "phone", address: "52999" } as const;
    const closed = await sendMessage(world.sender("phone_messenger"), { to, text: "x" });
    expect(closed).toMatchObject({ outcome: "final", isWindowClosed: true, code: "131047" });
    const template = { name: "hello", language: "es_MX", params: ["Ana"] };
    const { bodies, result } = await bodiesOf("phone_messenger", { to, template });
    expect(result.outcome).toBe("accepted");
    expect(bodies[0].template).toEqual({
      name: "hello",
      language: { code: "es_MX" },
      components: [{ type: "body", parameters: [{ type: "text", text: "Ana" }] }],
    });
    const named = await bodiesOf("phone_messenger", { template: { ...template, params: { name: "Ana" } } });
    expect(named.bodies[0].template.components[0].parameters).toEqual([
      { type: "text", parameter_name: "name", text: "Ana" },
    ]);
    const bare = await bodiesOf("phone_messenger", { template: { ...template, params: [] } });
    expect(bare.bodies[0].template).not.toHaveProperty("components");
  });

  test("the read mark shows that an answer is coming", async () => {
    expect(await world.sender("phone_messenger").markRead?.(phone, "wamid.Q")).toMatchObject({
      outcome: "accepted",
    });
    expect(world.provider.requests.at(-1)?.body).toEqual({
      messaging_product: "whatsapp",
      status: "read",
      message_id: "wamid.Q",
      typing_indicator: { type: "text" },
    });
  });
});

describe("Telegram", () => {
  test("a topic is named beside its chat, and marks are HTML", async () => {
    const to = { kind: "id", address: "-1005551112222/42" } as const;
    const { bodies } = await bodiesOf("bot_messenger", { to, text: "a < b", html: "<b>a &lt; b</b>" });
    expect(bodies).toEqual([
      { chat_id: "-1005551112222", message_thread_id: 42, text: "<b>a &lt; b</b>", parse_mode: "HTML" },
    ]);
    const typing = world.provider.requests.length;
    await world.sender("bot_messenger").showTyping?.(to);
    expect(world.provider.requests[typing]?.body).toMatchObject({
      chat_id: "-1005551112222",
      message_thread_id: 42,
    });
  });

  test("text, reply and contact button", async () => {
    const { bodies, paths } = await bodiesOf("bot_messenger", {
      text: "hola",
      replyTo: "11",
      contactButton: "Share",
    });
    expect(paths).toEqual(["/sendMessage"]);
    expect(bodies).toEqual([
      {
        chat_id: phone.address,
        text: "hola",
        reply_parameters: { message_id: 11, allow_sending_without_reply: true },
        reply_markup: {
          keyboard: [[{ text: "Share", request_contact: true }]],
          one_time_keyboard: true,
          resize_keyboard: true,
        },
      },
    ]);
  });

  test.each([
    ["image", "/sendPhoto", "photo"],
    ["audio", "/sendAudio", "audio"],
    ["video", "/sendVideo", "video"],
    ["document", "/sendDocument", "document"],
  ] as const)("%s", async (kind, path, field) => {
    const { bodies, paths } = await bodiesOf("bot_messenger", {
      text: "see",
      media: { kind, url: "https://f.example/a" },
    });
    expect(paths).toEqual([path]);
    expect(bodies[0]).toEqual({ chat_id: phone.address, [field]: "https://f.example/a", caption: "see" });
  });

  test("a text that is too long for a caption comes first", async () => {
    const { paths } = await bodiesOf("bot_messenger", { text: "x".repeat(1025), media: image });
    expect(paths).toEqual(["/sendMessage", "/sendPhoto"]);
  });

  test("marks, buttons and the webhook", async () => {
    const sender = world.sender("bot_messenger");
    expect(await sender.showTyping?.(phone)).toMatchObject({ outcome: "accepted" });
    expect(await sender.answerButton?.("77")).toMatchObject({ outcome: "accepted" });
    expect(await sender.registerWebhook?.("https://hook.example/w", "secret_1")).toMatchObject({
      outcome: "accepted",
    });
    expect(world.provider.registered.get("4242")).toEqual({
      url: "https://hook.example/w",
      secret: "secret_1",
      allowed: ["message", "edited_message", "callback_query", "my_chat_member", "message_reaction"],
    });
    expect(await sender.registerWebhook?.("https://hook.example/w", "bad secret")).toMatchObject({
      outcome: "final",
    });
  });
});

describe("Instagram", () => {
  test("text and attachment are two calls", async () => {
    const to = { kind: "id", address: "IGSID1" } as const;
    const document = { kind: "document", url: "https://f.example/a.pdf" } as const;
    const { bodies, result } = await bodiesOf("photo_social", { to, text: "see", media: document });
    expect(bodies).toEqual([
      { recipient: { id: "IGSID1" }, message: { text: "see" } },
      {
        recipient: { id: "IGSID1" },
        message: { attachment: { type: "file", payload: { url: document.url } } },
      },
    ]);
    expect(result).toMatchObject({ partsDone: 2, providerIds: [expect.any(String), expect.any(String)] });
  });

  test("marks", async () => {
    const sender = world.sender("photo_social");
    expect(await sender.markRead?.(phone, "m_1")).toMatchObject({ outcome: "accepted" });
    expect(await sender.showTyping?.(phone)).toMatchObject({ outcome: "accepted" });
    expect(world.provider.requests.slice(-2).map(({ body }) => body.sender_action)).toEqual([
      "mark_seen",
      "typing_on",
    ]);
  });

  test("a token of the login by Instagram goes to Instagram's host", async () => {
    const before = world.provider.requests.length;
    await sendMessage(world.sender("photo_social", { token: "IGAA-x" }), { to: phone, text: "x" });
    expect(world.provider.requests[before]?.path).toBe("/instagram/v24.0/me/messages");
  });
});

test("a message that failed after its first part goes on with the second", async () => {
  const message = { to: phone, text: "see", media: image };
  const sender = world.sender("photo_social");
  const before = world.provider.accepted.length;
  world.provider.fail("photo_social", undefined, { kind: "server_error" });
  const first = await sendMessage(sender, message);
  expect(first).toMatchObject({ outcome: "retry", partsDone: 1, providerIds: [expect.any(String)] });
  const second = await sendMessage(sender, message, first);
  expect(second).toMatchObject({ outcome: "accepted", partsDone: 2 });
  expect(second.providerIds).toHaveLength(2);
  expect(world.provider.accepted.slice(before).map(({ text }) => text)).toEqual(["see", undefined]);
});

test("tokens of parts lead back to the message", () => {
  for (const index of [0, 1, 2])
    expect(partOfToken(tokenOfPart("m-1", index))).toEqual({ token: "m-1", index });
});

test("receipts lead back to what was sent", async () => {
  const received: { path: string; body: string; headers: Headers }[] = [];
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      received.push({
        path: new URL(request.url).pathname,
        body: await request.text(),
        headers: request.headers,
      });
      return Response.json({ queued: 0 });
    },
  });
  await using own = await startSenders();
  const secret = "0123456789abcdef0123456789abcdef";
  for (const channel of ["phone_messenger", "photo_social"] as const) {
    own.provider.deliverTo(channel, `http://127.0.0.1:${server.port}/${channel}`, secret);
    await sendMessage(own.sender(channel), { to: phone, text: "x", token: "m_9" });
  }
  expect(await own.provider.deliverReceipts("sent")).toBe(2);
  expect(await own.provider.deliverReceipts("sent")).toBe(0);
  const events = received.map(({ path, body, headers }) => {
    const channel = channels.get(path.slice(1));
    const bytes = new TextEncoder().encode(body);
    expect(channel?.webhook.isGenuine({ headers, body: bytes, account: undefined }, secret)).toBe(true);
    const next = channel?.webhook.read(bytes, "").next();
    return next?.value;
  });
  expect(events).toMatchObject([
    { events: [{ type: "status", status: "sent", token: "m_9", messageId: own.provider.accepted[0]?.id }] },
    { events: [{ type: "echo", text: "x", messageId: own.provider.accepted[1]?.id }] },
  ]);
});

describe("an uploaded file", () => {
  const read = async () => new Blob(["%PDF-1.7"], { type: "application/pdf" });
  const media = {
    kind: "document",
    read,
    fileName: "nota.pdf",
    mimeType: "application/pdf",
    caption: "c",
  } as const;

  test("that is gone is final, and nothing is sent", async () => {
    for (const channel of ["phone_messenger", "bot_messenger"] as const) {
      const { result, calls } = await bodiesOf(channel, { media: { ...media, read: async () => undefined } });
      expect(result).toMatchObject({ outcome: "final", code: "file_gone" });
      expect(calls).toEqual([]);
    }
  });
});

test("an uploaded file goes to WhatsApp by its id, with its name, and to Telegram in the call itself", async () => {
  const calls: { url: string; body: unknown }[] = [];
  const call: ProviderCall = async (url, _headers, body) => {
    calls.push({ url, body });
    const answer = url.endsWith("/media")
      ? { id: "up1" }
      : { ok: true, result: { message_id: 7 }, messages: [{ id: "wamid.1" }] };
    return { status: 200, retryAfterMs: undefined, body: JSON.stringify(answer) };
  };
  const { log } = recordingLogger();
  const read = async () => new Blob(["%PDF-1.7"], { type: "application/pdf" });
  const media = {
    kind: "document",
    read,
    fileName: "nota.pdf",
    mimeType: "application/pdf",
    caption: "c",
  } as const;
  const whatsApp = createWhatsAppSender(
    { apiBaseUrl: "https://graph.example/v1", phoneNumberId: "PN", accessToken: "EAAG-token" },
    call,
    log,
  );
  expect(await sendMessage(whatsApp, { to: phone, media })).toMatchObject({
    outcome: "accepted",
    providerIds: ["wamid.1"],
  });
  const [upload, message] = calls;
  expect(upload?.url).toBe("https://graph.example/v1/PN/media");
  const form = upload?.body as FormData;
  expect([form.get("messaging_product"), form.get("type")]).toEqual(["whatsapp", "application/pdf"]);
  expect(form.get("file")).toMatchObject({ name: "nota.pdf", size: 8 });
  expect(message?.body).toMatchObject({
    type: "document",
    document: { id: "up1", caption: "c", filename: "nota.pdf" },
  });
  calls.length = 0;
  const telegram = createTelegramSender(
    { apiBaseUrl: "https://bot.example", botToken: "1:token-of-a-bot" },
    call,
    log,
  );
  const to = { kind: "id", address: "-100/42" } as const;
  expect(await sendMessage(telegram, { to, media })).toMatchObject({
    outcome: "accepted",
    providerIds: ["7"],
  });
  expect(calls[0]?.url).toEndWith("/sendDocument");
  const sent = calls[0]?.body as FormData;
  expect([sent.get("chat_id"), sent.get("message_thread_id"), sent.get("caption")]).toEqual([
    "-100",
    "42",
    "c",
  ]);
  expect(sent.get("document")).toMatchObject({ name: "nota.pdf" });
});

test("an upload whose outcome is unclear is tried again, because no message came of it", async () => {
  const call: ProviderCall = async () => ({
    fault: Object.assign(new Error("x"), { code: "send_timed_out" }),
  });
  const { log } = recordingLogger();
  const sender = createWhatsAppSender(
    { apiBaseUrl: "https://graph.example/v1", phoneNumberId: "PN", accessToken: "EAAG-token" },
    call,
    log,
  );
  const read = async () => new Blob(["x"]);
  expect(await sendMessage(sender, { to: phone, media: { kind: "document", read } })).toMatchObject({
    outcome: "retry",
  });
});
