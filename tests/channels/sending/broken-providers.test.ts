import { describe, expect, test } from "bun:test";
import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { channels } from "../../../src/channels/channel-registry.ts";
import { createProviderCall } from "../../../src/channels/sending/provider-call.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { sendMessage } from "../../support/send-message.ts";
import { socketTurns } from "../../support/socket-turns.ts";

/*
 * Providers that answer like none of the corpus: proxies, broken load balancers and captive portals. Whatever may have been accepted is
 * unknown, so that nobody gets a message twice; whatever was surely not accepted is tried again.
 */

const names = ["phone_messenger", "bot_messenger", "photo_social"] as const;

/** Answers of each channel to an accepted message. */
const accepted = {
  phone_messenger: {
    messaging_product: "whatsapp",
    contacts: [{ wa_id: "1" }],
    messages: [{ id: "wamid.1" }],
  },
  bot_messenger: { ok: true, result: { message_id: 7 } },
  photo_social: { recipient_id: "1", message_id: "mid.1" },
};
const to = { kind: "id", address: "1" } as const;

/** Sends one text while `play` has the provider's side of the connection. */
async function sendTo(
  channel: (typeof names)[number],
  play: (socket: Socket, answer: string) => void,
  { scheme = "http", waits = false } = {},
) {
  const sockets = new Set<Socket>();
  let calls = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    if (scheme === "https") {
      socket.once("data", () => {
        calls++;
        play(socket, "");
      });
      return;
    }
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString();
      const [head = "", body = ""] = text.split("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
      if (Buffer.byteLength(body) < length) return;
      calls++;
      play(socket, JSON.stringify(accepted[channel]));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = new FakeClock();
  const sender = channels.get(channel)?.createSender?.(
    { externalId: "1", credentials: { access_token: "EAAG-canary", bot_token: "1:canary-token" } },
    {
      call: createProviderCall(fetch, clock),
      log: silentLogger,
      baseUrls: { graph: base, instagram: base, bot: base },
    },
  );
  if (sender === undefined) throw new Error("There is no sender.");
  try {
    const sending = sendMessage(sender, { to, text: "hi" });
    if (waits) {
      while (calls === 0) await socketTurns(1);
      await socketTurns(4);
      await clock.advance(15_000);
    }
    const result = await sending;
    expect(JSON.stringify(result)).not.toContain("canary");
    return { ...result, calls };
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

const http = (status: string, body: string, ...headers: string[]) =>
  [
    `HTTP/1.1 ${status}`,
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
    ...headers,
    "",
    body,
  ].join("\r\n");

type Play = (socket: Socket, answer: string) => void;
/** Some end by the sender's time limit, depending on what the runtime makes of a connection that ends early. */
const unknown: [what: string, play: Play][] = [
  ["hangs after the request", () => undefined],
  ["hangs inside the answer's head", (socket) => void socket.write("HTTP/1.1 200 OK\r\ncontent-")],
  ["hangs inside the body", (socket, answer) => void socket.write(http("200 OK", answer).slice(0, -3))],
  ["breaks off inside the body", (socket, answer) => void socket.end(http("200 OK", answer).slice(0, -3))],
  ["breaks off before the answer", (socket) => void socket.end()],
  ["resets the connection", (socket) => void socket.resetAndDestroy()],
  [
    "answers with a web page",
    (socket) => void socket.end(http("200 OK", "<html>Sign in</html>", "content-type: text/html")),
  ],
  ["answers with nothing", (socket) => void socket.end(http("200 OK", ""))],
  ["answers 204", (socket) => void socket.end("HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n")],
  ["answers another JSON", (socket) => void socket.end(http("200 OK", "[1]"))],
  [
    "answers endlessly",
    (socket, answer) => void socket.end(http("200 OK", `${answer}${" ".repeat(300_000)}`)),
  ],
  ["answers no HTTP", (socket) => void socket.end("220 mail.example ESMTP\r\n")],
];
const again: [what: string, play: Play][] = [
  ["answers 500 with a web page", (socket) => void socket.end(http("500 No", "<html>"))],
  ["answers 503 without a body", (socket) => void socket.end(http("503 No", ""))],
];

describe.each(names)("a provider of %s that", (channel) => {
  test.each(unknown)("%s may have accepted it", async (_, play) => {
    const result = await sendTo(channel, play, { waits: true });
    expect(result).toMatchObject({ outcome: "unknown", calls: 1 });
  });

  test.each(again)("%s has not accepted it", async (_, play) => {
    const result = await sendTo(channel, play);
    expect(result).toMatchObject({ outcome: "retry", afterMs: undefined, calls: 1 });
  });

  test.each(["301 Moved", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"])(
    "answers %s is not followed with the token, and the message fails",
    async (status) => {
      const play: Play = (socket) => void socket.end(http(status, "", "location: https://x.example/"));
      expect(await sendTo(channel, play)).toMatchObject({ outcome: "final", calls: 1 });
    },
  );

  test("asks to wait with a web page is waited for", async () => {
    const play: Play = (socket) => void socket.end(http("429 Slow", "<html>", "retry-after: 9"));
    expect(await sendTo(channel, play)).toMatchObject({ outcome: "retry", afterMs: 9_000, scope: "account" });
  });

  test("accepts it with another content type has accepted it", async () => {
    const play: Play = (socket, answer) => void socket.end(http("200 OK", answer, "content-type: text/html"));
    expect(await sendTo(channel, play)).toMatchObject({
      outcome: "accepted",
      providerId: expect.any(String),
    });
  });

  test("breaks off while TLS begins is not called again at once", async () => {
    const result = await sendTo(channel, (socket) => void socket.resetAndDestroy(), {
      scheme: "https",
      waits: true,
    });
    expect(["unknown", "retry"]).toContain(result.outcome);
  });

  test("speaks no TLS was not reached", async () => {
    const play: Play = (socket) => void socket.end(http("400 Bad Request", "plain"));
    const result = await sendTo(channel, play, { scheme: "https", waits: true });
    expect(["unknown", "retry"]).toContain(result.outcome);
  });
});
