import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { channels } from "../../src/channels/channel-registry.ts";
import { webhookSecretOf } from "../../src/channels/telegram/verify-secret.ts";
import { AppError } from "../../src/kit/app-error.ts";
import { atOnce } from "../../src/kit/concurrency/others-turn.ts";
import corpus from "../corpora/webhook_forgeries.json" with { type: "json" };

interface Entry {
  id: string;
  input: {
    channel: string;
    header?: string;
    value?: string;
    method?: string;
    query?: Record<string, string>;
    body?: unknown;
    path?: string;
    content_encoding?: string;
  };
  why: string;
  expected: string;
}
const entries = corpus.entries as unknown as Entry[];

const secret = "0123456789abcdef0123456789abcdef";
const verifyToken = "verify-me";
/** Has a space and an escape that re-serialised JSON lacks. */
const text = '{"object":"instagram" , "note":"\\u00e9"}';
const body = new TextEncoder().encode(text);
const hexOf = (key: string, of: string | Uint8Array = body) =>
  createHmac("sha256", key).update(of).digest("hex");

/** Header values for the corpus's descriptions. */
const values: Record<string, string | undefined> = {
  "(absent)": undefined,
  "sha1=HMAC1(app_secret, raw)": `sha1=${createHmac("sha1", secret).update(body).digest("hex")}`,
  "HMAC(app_secret, raw) without prefix": hexOf(secret),
  "sha256=HMAC(app_secret, raw)": `sha256=${hexOf(secret)}`,
  "sha256=HMAC upper case hex": `sha256=${hexOf(secret).toUpperCase()}`,
  "SHA256=HMAC": `SHA256=${hexOf(secret)}`,
  "sha256=HMAC(wrong_secret, raw)": `sha256=${hexOf("wrong")}`,
  "sha256=HMAC('', raw)": `sha256=${hexOf("")}`,
  "sha256=HMAC(verify_token, raw)": `sha256=${hexOf(verifyToken)}`,
  "sha256=HMAC(access_token, raw)": `sha256=${hexOf("EAAB-token")}`,
  "sha256=HMAC(other_tenant_secret, raw)": `sha256=${hexOf("the secret of another app, 32 bytes")}`,
  "sha256=HMAC(app_secret, re-serialised JSON)": `sha256=${hexOf(secret, JSON.stringify(JSON.parse(text)))}`,
  "sha256=HMAC first 63 chars": `sha256=${hexOf(secret).slice(0, 63)}`,
  "sha256=HMAC + 'a'": `sha256=${hexOf(secret)}a`,
  "sha256=A, sha256=B": `sha256=${hexOf(secret)}, sha256=${hexOf(secret)}`,
  "sha256=HMAC, body then changed by one byte": `sha256=${hexOf(secret, `${text} `)}`,
  "@repeat:a:100000": "a".repeat(100_000),
};

const webhookOf = (name: string) => {
  const webhook = channels.get(name)?.webhook;
  if (webhook === undefined) throw new Error(`${name} is not a channel`);
  return webhook;
};

describe("signatures of WhatsApp and Instagram", () => {
  const signed = entries.filter(
    ({ input }) => input.header === "X-Hub-Signature-256" && input.content_encoding === undefined,
  );
  test.each(signed)("$id $input.channel $why", ({ input, expected }) => {
    const value = input.value !== undefined && input.value in values ? values[input.value] : input.value;
    const isAscii = value === undefined || /^[\x20-\x7e]*$/.test(value);
    // HTTP itself refuses such a header; what reaches us is Latin-1.
    const headers = new Headers();
    if (value !== undefined)
      headers.set("x-hub-signature-256", isAscii ? value : Buffer.from(value).toString("latin1"));
    const delivery = { headers, body, account: undefined };
    expect(webhookOf(input.channel).isGenuine(delivery, secret)).toBe(expected === "200");
  });

  test("no secret matches nothing", () => {
    for (const name of ["phone_messenger", "photo_social"]) {
      for (const missing of [undefined, ""]) {
        const headers = new Headers({ "x-hub-signature-256": `sha256=${hexOf("")}` });
        expect(webhookOf(name).isGenuine({ headers, body, account: undefined }, missing)).toBe(false);
      }
    }
  });
});

describe("the secret of a bot's webhook", () => {
  const right = webhookSecretOf(secret, "BOT1");
  const secrets: Record<string, string | undefined> = {
    "(absent)": undefined,
    right,
    RIGHT: right.toUpperCase(),
    "other-account": webhookSecretOf(secret, "BOT2"),
    "prefix-of-right": right.slice(0, -1),
  };
  const rows = entries.filter(({ input }) => input.channel === "bot_messenger" && input.header !== undefined);
  const isFrom = (value: string | undefined, account: string | undefined, setting: string | undefined) => {
    const headers = new Headers(value === undefined ? {} : { "x-telegram-bot-api-secret-token": value });
    return webhookOf("bot_messenger").isGenuine({ headers, body, account }, setting);
  };
  test.each(rows)("$id $why", ({ input, expected }) => {
    const given = input.value ?? "(absent)";
    const value = given in secrets ? secrets[given] : given;
    expect(isFrom(value, "BOT1", secret)).toBe(expected === "200");
  });

  test("it has the characters that the provider takes", () => {
    expect(right).toMatch(/^[A-Za-z0-9_-]{1,256}$/);
    expect(isFrom(right, undefined, secret)).toBe(false);
    expect(isFrom(webhookSecretOf(secret, "undefined"), undefined, secret)).toBe(false);
    expect(isFrom(webhookSecretOf("", "BOT1"), "BOT1", "")).toBe(false);
    expect(isFrom(webhookSecretOf("", "BOT1"), "BOT1", undefined)).toBe(false);
  });

  const bodies = entries.filter(
    ({ input }) => input.channel === "bot_messenger" && typeof input.body === "object",
  );
  test.each(bodies)("$id $why: $expected", ({ input, expected }) => {
    const bytes = new TextEncoder().encode(JSON.stringify(input.body));
    const read = atOnce(webhookOf("bot_messenger").read(bytes, "BOT1"));
    if (expected === "400") return expect(read).toEqual({ unreadable: expect.any(String) });
    if (!("events" in read)) throw new Error(read.unreadable);
    // Nobody wrote it, so no agent runs; the wide id is kept exactly.
    expect(read.events.map(({ type }) => type)).toEqual(["ignored"]);
    if (expected === "stored exactly") {
      expect(read.events).toMatchObject([{ record: { address: { kind: "id", address: "-1001234567890" } } }]);
    }
  });
});

describe("handshakes", () => {
  const rows = entries.filter(({ input }) => input.method === "GET");
  test.each(rows)("$id $why: $expected", ({ input, expected }) => {
    const query = new URLSearchParams(
      Object.entries(input.query ?? {}).map(([name, value]) => [
        name,
        value === "right" ? verifyToken : value,
      ]),
    );
    for (const token of [verifyToken, undefined, ""]) {
      const answer = () => webhookOf(input.channel).handshake(query, token);
      if (expected.startsWith("200") && token === verifyToken)
        expect(answer()).toBe(input.query?.["hub.challenge"] ?? "");
      else expect(answer).toThrow(AppError);
    }
  });

  test("channels without a verify token echo a challenge", () => {
    for (const name of ["bot_messenger", "webchat", "echo"]) {
      const { handshake } = webhookOf(name);
      expect(handshake(new URLSearchParams("hub.challenge=42"), undefined)).toBe("42");
      expect(handshake(new URLSearchParams(), undefined)).toBeUndefined();
      expect(() => handshake(new URLSearchParams({ "hub.challenge": "x".repeat(1025) }), undefined)).toThrow(
        AppError,
      );
    }
  });
});

describe("names of channels", () => {
  const paths = entries.filter(({ input }) => input.path !== undefined);
  test.each(paths)("$id $input.path", ({ input }) => {
    const channel = channels.get(input.path?.split("/").slice(2).join("/") ?? "");
    // The web chat is a channel, but no provider delivers to it.
    const headers = new Headers({ "x-hub-signature-256": `sha256=${hexOf(secret)}` });
    expect(channel?.webhook.isGenuine({ headers, body, account: "a" }, secret) ?? false).toBe(false);
    if (input.path !== "/webhooks/webchat") expect(channel).toBeUndefined();
  });

  test("echo takes deliveries without a signature", () => {
    expect(webhookOf("echo").isGenuine({ headers: new Headers(), body, account: "a" }, undefined)).toBe(true);
  });
});
