import { expect, test } from "bun:test";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { channels } from "../../../src/channels/channel-registry.ts";
import { createProviderCall } from "../../../src/channels/sending/provider-call.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { standInAccounts } from "../../support/channel-senders.ts";

const answers = {
  phone_messenger: { success: true, messages: [{ id: "wamid.1" }] },
  bot_messenger: { ok: true, result: { message_id: 7 } },
  photo_social: { recipient_id: "1", message_id: "mid.1" },
} as const;
const to = { kind: "id", address: "1" } as const;

/** Plays a provider that leaves connections open, and notes by which one each call came. */
async function startKeeping(answer: object) {
  const sockets: object[] = [];
  const calls: number[] = [];
  const server = createServer((request, response) => {
    if (!sockets.includes(request.socket)) sockets.push(request.socket);
    calls.push(sockets.indexOf(request.socket));
    request.resume().on("end", () => response.end(JSON.stringify(answer)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    baseUrls: { graph: base, instagram: base, bot: base },
    calls,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

test.each(standInAccounts)(
  "$channel: marks share a connection, and no message goes over a used one, by which it might be sent twice",
  async ({ channel, account, token }) => {
    await using provider = await startKeeping(answers[channel]);
    const sender = channels
      .get(channel)
      ?.createSender?.(
        { externalId: account, credentials: { access_token: token, bot_token: token } },
        { call: createProviderCall(fetch, systemClock), log: silentLogger, baseUrls: provider.baseUrls },
      );
    const mark = () => sender?.markRead?.(to, "wamid.IN1") ?? sender?.showTyping?.(to);
    const [part] = sender?.parts({ to, text: "hi" }) ?? [];
    if (sender === undefined || part === undefined) throw new Error("There is no sender.");
    for (const call of [mark, mark, () => sender.sendPart({ to, text: "hi" }, part), mark]) {
      expect(await call()).toMatchObject({ outcome: "accepted" });
    }
    await sender.sendPart({ to, text: "hi" }, part);
    expect(provider.calls).toEqual([0, 0, 1, 0, 2]);
  },
);
