import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { Config } from "../../src/compose/settings/config.ts";
import type { PhoneMessengerSettings } from "../../src/services/daemon/channels/phone-messenger.ts";
import { type Answer, type DaemonOptions, startDaemon, type TestDaemon } from "./daemon.ts";
import {
  appSecret,
  deliveryOf,
  type MessageProvider,
  type ProviderScript,
  phoneNumberId,
  signatureOf,
  startMessageProvider,
} from "./message-provider.ts";
import { socketTurns } from "./socket-turns.ts";

/** Time of the messages in the corpus, and of those that tests create. */
export const deliveredAt = "2025-10-09T08:53:20.000Z";

export const webhook = "/v1/channels/phone_messenger/webhook";
export const verifyToken = "the verify token of the test";
export const accessToken = "EAAB-access-token-of-the-test";

export interface ChannelDaemon extends AsyncDisposable {
  daemon: TestDaemon;
  provider: MessageProvider;
  /** Posts a delivery with the right signature, or with the given headers. */
  deliver(body: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>): Promise<Answer>;
  /** Advances the clock, unless a call to the provider is under way. */
  tick(ms: number): Promise<void>;
  /** Resolves when every accepted message is closed; advances the clock if `tickMs` is given. */
  idle(tickMs?: number): Promise<void>;
  /** Returns the number of messages, deliveries or sends, by outcome. */
  counted(name: "messages" | "deliveries" | "sends"): Promise<Record<string, number>>;
}

export interface ChannelDaemonOptions extends DaemonOptions {
  settings?: Partial<PhoneMessengerSettings>;
  script?: ProviderScript;
}

/** Starts a daemon with the channel `phone_messenger`, answered by the agent `helper`, over a simulated provider API. */
export async function startChannelDaemon(options: ChannelDaemonOptions = {}): Promise<ChannelDaemon> {
  await using held = new AsyncDisposableStack();
  const { settings, script, configure, ...rest } = options;
  const provider = held.use(await startMessageProvider(script));
  const withChannel = (config: Config): Config => {
    const phoneMessenger: PhoneMessengerSettings = {
      verifyToken,
      accessToken,
      phoneNumberId,
      appSecret,
      allowsUnsigned: false,
      defaultAgent: "helper",
      rateLimit: { messagesMax: 30, windowMs: 60_000 },
      apiBaseUrl: provider.url,
      ...settings,
    };
    for (const secret of [verifyToken, accessToken, appSecret]) config.knownSecrets.add(secret);
    const changed = { ...config, channels: { phoneMessenger } };
    return configure?.(changed) ?? changed;
  };
  const daemon = held.use(await startDaemon({ startAt: deliveredAt, ...rest, configure: withChannel }));
  const ending = held.move();
  const tick = async (ms: number) => {
    // Work on real sockets gets its turns first: no limit may expire while an answer is on its way.
    await socketTurns(turnsOfTick);
    if (ms > 0 && sendsOf(daemon) === 0) await daemon.clock.advance(ms);
  };
  return {
    daemon,
    provider,
    deliver: (body, headers = { "x-hub-signature-256": signatureOf(body) }) =>
      daemon.call("POST", webhook, { body, headers }),
    tick,
    async idle(tickMs) {
      while (openMessages(daemon) > 0) {
        await tick(tickMs ?? 0);
      }
    },
    async counted(name) {
      const { text } = await daemon.call("GET", "/metrics");
      const line = new RegExp(
        `^platform_channel_${name}_total\\{channel="phone_messenger",outcome="(\\w+)"\\} (\\d+)$`,
      );
      const found = text.split("\n").flatMap((one) => line.exec(one) ?? []);
      const counts: Record<string, number> = {};
      for (let at = 0; at < found.length; at += 3) counts[found[at + 1] ?? ""] = Number(found[at + 2]);
      return counts;
    },
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}

const turnsOfTick = 12;

/** Counts calls to the provider that are under way. */
function sendsOf({ workspace }: TestDaemon): number {
  using database = new Database(join(workspace, ".argosy/daemon.db"), { readonly: true });
  const query = "select count(*) as sending from channel_outbox where status = 'sending'";
  return database.query<{ sending: number }, []>(query).get()?.sending ?? 0;
}

/** Counts open messages and unsent answers in the database, but not messages whose runs wait for a person. */
function openMessages({ workspace }: TestDaemon): number {
  using database = new Database(join(workspace, ".argosy/daemon.db"), { readonly: true });
  const open = (query: string) => database.query<{ open: number }, []>(query).get()?.open ?? 0;
  const events = "select count(*) as open from channel_inbound where state in ('waiting', 'working')";
  return (
    open(`${events} and lane not like 'aside:%'`) +
    open("select count(*) as open from channel_outbox where status in ('pending', 'sending')")
  );
}

/** Delivers one message of a user. */
export const deliverText = (channel: ChannelDaemon, message: object) =>
  channel.deliver(deliveryOf([message]));
