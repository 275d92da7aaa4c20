import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import corpus from "../../../corpora/webhook_forgeries.json" with { type: "json" };
import {
  type ChannelDaemon,
  deliverText,
  startChannelDaemon,
  verifyToken,
  webhook,
} from "../../../support/channel-daemon.ts";
import {
  appSecret,
  deliveryOf,
  phoneNumberId,
  signatureOf,
  textMessage,
} from "../../../support/message-provider.ts";
import { onePer } from "../../../support/one-per.ts";
import { rawRequest } from "../../../support/raw-http.ts";

let channel: ChannelDaemon;
beforeAll(async () => {
  channel = await startChannelDaemon();
});
afterAll(() => channel[Symbol.asyncDispose]());

interface Entry {
  id: string;
  input: {
    channel: string;
    header?: string;
    value?: string;
    method?: string;
    query?: Record<string, string>;
    content_encoding?: string;
  };
  why: string;
  expected: string;
}
const entries = corpus.entries as unknown as Entry[];

/** Contains a space that re-serialized JSON lacks, and an escape that it would write differently. */
const body = `${deliveryOf([textMessage("wamid.FORGED", "x")]).slice(0, -1)} , "note": "\\u00e9"}`;
const hex = (secret: string) => signatureOf(body, secret).slice("sha256=".length);

/** Header values for the corpus's descriptions. */
const values: Record<string, string | undefined> = {
  "(absent)": undefined,
  "": "",
  "sha256=": "sha256=",
  "sha1=HMAC1(app_secret, raw)": `sha1=${createHmac("sha1", appSecret).update(body).digest("hex")}`,
  "HMAC(app_secret, raw) without prefix": hex(appSecret),
  "sha256=HMAC upper case hex": `sha256=${hex(appSecret).toUpperCase()}`,
  "SHA256=HMAC": `SHA256=${hex(appSecret)}`,
  "sha256=HMAC(wrong_secret, raw)": signatureOf(body, "wrong"),
  "sha256=HMAC('', raw)": signatureOf(body, ""),
  "sha256=HMAC(verify_token, raw)": signatureOf(body, verifyToken),
  "sha256=HMAC(access_token, raw)": signatureOf(body, "EAAB-access-token-of-the-test"),
  "sha256=HMAC(other_tenant_secret, raw)": signatureOf(body, "the secret of another tenant's app"),
  "sha256=HMAC(app_secret, re-serialised JSON)": signatureOf(JSON.stringify(JSON.parse(body))),
  "sha256=HMAC first 63 chars": `sha256=${hex(appSecret).slice(0, 63)}`,
  "sha256=HMAC + 'a'": `sha256=${hex(appSecret)}a`,
  "sha256=A, sha256=B": `${signatureOf(body)}, ${signatureOf(body)}`,
  "sha256=HMAC, body then changed by one byte": signatureOf(`${body} `),
  "@repeat:a:100000": "a".repeat(100_000),
};

/**
 * Both channels of this provider use the same signature. `tests/channels/webhook-forgeries.test.ts` checks each signature of the corpus; here
 * is one for each outcome.
 */
const signed = onePer(
  entries.filter(
    ({ input }) =>
      ["phone_messenger", "photo_social"].includes(input.channel) &&
      input.header === "X-Hub-Signature-256" &&
      input.value !== "sha256=HMAC(app_secret, raw)" &&
      input.value !== "valid",
  ),
  ({ expected }) => expected,
);

describe("a delivery that is not signed as the provider signs is 403, with one and the same body", () => {
  let forged = 0;
  test.each(signed)("$id $why", async ({ input }) => {
    const value = input.value !== undefined && input.value in values ? values[input.value] : input.value;
    const isAscii = value === undefined || /^[\x20-\x7e]*$/.test(value);
    const answer = isAscii
      ? await channel.deliver(body, value === undefined ? {} : { "x-hub-signature-256": value })
      : undefined;
    if (answer === undefined) {
      const head = `POST ${webhook} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Hub-Signature-256: ${value}\r\nContent-Length: ${body.length}\r\n\r\n`;
      const { status } = await rawRequest(channel.daemon.port, head + body);
      expect([400, 403]).toContain(status ?? 0);
      if (status === 403) forged++;
      return;
    }
    if (answer.status === 403) forged++;
    if (input.value?.startsWith("@repeat")) expect([403, 431]).toContain(answer.status);
    else {
      expect(answer.status).toBe(403);
      expect(answer.body).toEqual({
        error: "signature_invalid",
        message: "The delivery's signature is not valid.",
      });
    }
  });

  test("an encoded body is 415", async () => {
    const headers = { "x-hub-signature-256": signatureOf(body), "content-encoding": "gzip" };
    expect((await channel.deliver(body, headers)).status).toBe(415);
  });

  test("several signature headers are 403, though one of them is right", async () => {
    const line = (value: string) => `X-Hub-Signature-256: ${value}\r\n`;
    const head = `POST ${webhook} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n`;
    const lines = line(signatureOf(body, "wrong")) + line(signatureOf(body));
    const answer = await rawRequest(
      channel.daemon.port,
      `${head}${lines}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    expect(answer.status).toBe(403);
    forged++;
  });

  test("all of them are counted, and none was answered", async () => {
    await channel.idle();
    expect(channel.provider.sent).toEqual([]);
    expect((await channel.counted("deliveries")).forged).toBe(forged);
  });
});

describe("the handshake", () => {
  const handshakes = entries.filter(
    ({ input }) => input.channel === "phone_messenger" && input.method === "GET",
  );
  test.each(handshakes)("$id $why: $expected", async ({ input, expected }) => {
    const query = new URLSearchParams(
      Object.entries(input.query ?? {}).map(([name, value]) => [
        name,
        value === "right" ? verifyToken : value,
      ]),
    );
    const answer = await channel.daemon.call("GET", `${webhook}?${query}`);
    if (expected.startsWith("200")) {
      expect(answer.status).toBe(200);
      expect(answer.text).toBe(input.query?.["hub.challenge"] ?? "");
      expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    } else {
      expect(answer.status).toBe(403);
      expect(answer.headers.get("x-y")).toBeNull();
    }
  });

  const right = `hub.mode=subscribe&hub.verify_token=${encodeURIComponent(verifyToken)}`;
  const table: [query: string, status: number][] = [
    ["", 403],
    [`hub.mode=subscribe&hub.verify_token=${verifyToken.slice(0, -1)}&hub.challenge=1`, 403],
    [`hub.mode=subscribe&hub.verify_token=${verifyToken}x&hub.challenge=1`, 403],
    [`hub.mode=subscribe&hub.verify_token=%zz&hub.challenge=1`, 400],
    [`${right}&hub.verify_token=other&hub.challenge=1`, 403],
    [`hub.verify_token=${verifyToken}&hub.challenge=1`, 403],
    [right, 400],
    [`${right}&hub.challenge=`, 400],
    [`${right}&hub.challenge=1&hub.challenge=2`, 400],
    [`${right}&hub.challenge=${"1".repeat(1025)}`, 400],
    [`${right}&hub.challenge=1158201444&extra=1`, 200],
    [`${right}&hub.challenge=%0d%0aX-Y:%20z`, 200],
  ];
  test.each(table)("?%s is %d", async (query, status) => {
    const answer = await channel.daemon.call("GET", `${webhook}?${query}`);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("x-y")).toBeNull();
    expect(answer.text).not.toContain(verifyToken);
  });
});

describe("what is signed", () => {
  test("webhook_forgeries-025: the same delivery 1,000 times, 50 at once, is one run", async () => {
    const delivery = deliveryOf([textMessage("wamid.REPLAY", "once")]);
    const before = channel.provider.sent.length;
    for (let round = 0; round < 20; round++) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => channel.deliver(delivery)));
      for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: { queued: 1 } });
    }
    await channel.idle();
    expect(channel.provider.sent.length).toBe(before + 1);
    expect(channel.daemon.models.lab.requests).toHaveLength(1);
  });

  test("webhook_forgeries-027: for another account is 200 and counted, and not answered", async () => {
    const sent = channel.provider.sent.length;
    const other = deliveryOf([textMessage("wamid.OTHER", "hi")]).replace(phoneNumberId, "PNID2");
    expect(await channel.deliver(other)).toMatchObject({ status: 200, body: { queued: 0 } });
    await channel.idle();
    expect(channel.provider.sent.length).toBe(sent);
    expect((await channel.counted("messages")).unknown_account).toBe(1);
  });

  test.each([
    "{",
    "",
    "null x",
    '{"a":1,"a":2}',
    '{"a":"\\u0000"}',
    "\ufeff{}",
    "[".repeat(100) + "]".repeat(100),
  ])("webhook_forgeries-028: and is no sound JSON is 400: %j", async (text) => {
    const answer = await channel.deliver(text);
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  });

  test("invalid UTF-8 is 400", async () => {
    expect((await channel.deliver(new Uint8Array([0x22, 0xff, 0x22]))).status).toBe(400);
  });

  test("webhook_forgeries-032: with two accounts in it, only ours is answered", async () => {
    const ours = JSON.parse(deliveryOf([textMessage("wamid.OURS", "ours")]));
    const theirs = JSON.parse(deliveryOf([textMessage("wamid.THEIRS", "theirs")]));
    theirs.entry[0].changes[0].value.metadata.phone_number_id = "PNID2";
    const both = JSON.stringify({ ...ours, entry: [...theirs.entry, ...ours.entry] });
    expect((await channel.deliver(both)).body).toEqual({ queued: 1 });
    await channel.idle();
    expect(channel.daemon.models.lab.requests.at(-1)?.body.messages.at(-1)?.content).toBe("ours");
  });

  test("beyond 4 MiB is 413, and up to there is read", async () => {
    const filler = (bytes: number) => JSON.stringify({ object: "other", filler: "x".repeat(bytes) });
    expect((await channel.deliver(filler(4 * 1024 * 1024))).status).toBe(413);
    expect((await channel.deliver(filler(4 * 1024 * 1024 - 100))).status).toBe(200);
  });

  test("half a character, as a name or text is cut, is replaced and loses nothing", async () => {
    const message = textMessage("wamid.HALF", "cut HERE and \\\\ud83d stays");
    const delivery = deliveryOf([message]).replace("HERE", "\\ud83d").replace('"Ana"', '"An\\uD83D"');
    expect((await channel.deliver(delivery)).body).toEqual({ queued: 1 });
    await channel.idle();
    const asked = channel.daemon.models.lab.requests.at(-1)?.body.messages.at(-1)?.content;
    expect(asked).toBe("cut \ufffd and \\\\ud83d stays");
  });
});

test("webhook_forgeries-031: 1,000 entries of 10 messages are kept in full, and delivering them again runs none twice", async () => {
  await using full = await startChannelDaemon();
  const entry = (at: number) => ({
    id: "WABA1",
    changes: [
      {
        field: "messages",
        value: {
          metadata: { phone_number_id: phoneNumberId },
          messages: Array.from({ length: 10 }, (_, number) =>
            textMessage(`wamid.${at}.${number}`, "hi", { from: `52${at * 10 + number}` }),
          ),
        },
      },
    ],
  });
  const delivery = JSON.stringify({
    object: "whatsapp_business_account",
    entry: Array.from({ length: 1000 }, (_, at) => entry(at)),
  });
  expect((await full.deliver(delivery)).body).toEqual({ queued: 10_000 });
  expect((await full.deliver(delivery)).body).toEqual({ queued: 10_000 });
  expect((await full.counted("messages")).repeated).toBe(10_000);
});

test("a full queue is 503 with what was kept; what is delivered again later is kept then", async () => {
  const hold = Promise.withResolvers<void>();
  await using full = await startChannelDaemon({ script: () => ({ after: hold.promise }) });
  const many = (from: number, count: number) =>
    deliveryOf(
      Array.from({ length: count }, (_, at) =>
        textMessage(`wamid.${from + at}`, "hi", { from: `${from + at}` }),
      ),
    );
  expect((await full.deliver(many(0, 9_990))).status).toBe(200);
  const last = many(9_990, 20);
  const refused = await full.deliver(last);
  expect(refused).toMatchObject({ status: 503, body: { error: "too_busy", queued: 10, total: 20 } });
  expect(refused.headers.get("retry-after")).toBe("60");
  expect((await full.deliver(last)).body).toMatchObject({ queued: 10, total: 20 });
  await full.provider.sentCount(64);
  hold.resolve();
  // The provider takes 80 messages a second.
  while (full.provider.sent.length < 300) await full.daemon.clock.advance(100);
  const again = await full.deliver(last);
  expect(again).toMatchObject({ status: 200, body: { queued: 20 } });
});

test("without the channel both routes are 404 and say what to do", async () => {
  await using bare = await startChannelDaemon({
    configure: (config) => ({ ...config, channels: { phoneMessenger: undefined } }),
  });
  for (const method of ["GET", "POST"]) {
    const answer = await bare.daemon.call(method, webhook, method === "POST" ? { body: "{}" } : {});
    expect(answer).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect(answer.body.hint).toContain("channels.yaml");
  }
  const other = await bare.daemon.call("GET", "/v1/channels/constructor/webhook");
  expect(other.status).toBe(404);
  const doctor = (await bare.daemon.call("GET", "/v1/system/doctor")).body;
  const check = doctor.checks.find(({ name }: { name: string }) => name === "channels");
  expect(check).toMatchObject({ status: "healthy", message: "No messaging channel is configured." });
});

test("no message is kept by what was refused", async () => {
  await using fresh = await startChannelDaemon();
  await fresh.deliver(deliveryOf([textMessage("wamid.F", "x")]), {});
  expect((await deliverText(fresh, textMessage("wamid.F", "x"))).body).toEqual({ queued: 1 });
  await fresh.idle();
  expect(fresh.provider.sent).toHaveLength(1);
});
