import { channels } from "../../src/channels/channel-registry.ts";
import { createChannelMarks } from "../../src/channels/outbox/channel-marks.ts";
import { createSenderOf } from "../../src/channels/outbox/channel-senders.ts";
import type { ChannelMarks } from "../../src/channels/outbox/message-sender.ts";
import { createMessageSender } from "../../src/compose/gateway/message-senders.ts";
import type { Account } from "../../src/contracts/gateway/accounts.ts";
import type { OutboxEntry } from "../../src/contracts/gateway/admin.ts";
import { gatewayWorkers } from "../../src/services/gateway/workers.ts";
import { settle } from "./fake-clock.ts";
import { asA, asAdmin, startGateway, type TestGateway } from "./gateway.ts";
import { type ProviderChannel, type ProviderStandIn, startProviderStandIn } from "./provider-stand-in.ts";
import type { TestEngine } from "./storage-engines.ts";

/** The gateway with its outbox running, over the stand-in of the providers. */
export interface ProviderWorld extends AsyncDisposable {
  gateway: TestGateway;
  provider: ProviderStandIn;
  /** Marks at the providers. */
  marks: ChannelMarks;
  /** Adds account number `index` of a channel, with a token of its own, and returns its id. */
  account(channel: ProviderChannel, index?: number): Promise<string>;
  send(body: object): Promise<string>;
  entry(id: string): Promise<OutboxEntry>;
  findAccount(id: string): Promise<Account | undefined>;
  /** Resolves when no message of the outbox is due or being sent. */
  quiet(): Promise<void>;
  /** Lets this much time pass, and what is due then be sent. */
  pass(ms: number): Promise<void>;
}

const accountsMax = 100;
const idOf = (channel: ProviderChannel, index: number) =>
  channel === "bot_messenger" ? String(10_000 + index) : `${channel}-${index}`;
const tokenOf = (channel: ProviderChannel, index: number) =>
  channel === "bot_messenger"
    ? `${10_000 + index}:AAbot-token-0123456789abcdefgh`
    : `EAAB-token-of-${channel}-${index}`;

export async function startProviderWorld(engine: TestEngine): Promise<ProviderWorld> {
  await using held = new AsyncDisposableStack();
  const numbers = Array.from({ length: accountsMax }, (_, index) => index);
  const provider = held.use(
    await startProviderStandIn(
      (["phone_messenger", "bot_messenger", "photo_social"] as const).flatMap((channel) =>
        numbers.map((index) => ({ channel, account: idOf(channel, index), token: tokenOf(channel, index) })),
      ),
    ),
  );
  const gateway = held.use(
    await startGateway(engine, (deps) => {
      const senderOf = createSenderOf({
        baseUrls: provider.baseUrls,
        fetch,
        clock: deps.clock,
        log: deps.log,
      });
      const settled = new Set(["phone_messenger", "photo_social"] as const);
      const { emulated, clock } = deps;
      const sender = createMessageSender({
        senderOf,
        settled,
        emulated,
        answered: async () => undefined,
        clock,
      });
      return { ...deps, sender };
    }),
  );
  const start = () => {
    const stopping = new AbortController();
    const ended = gatewayWorkers(gateway.deps)[0]?.run(stopping.signal);
    return async () => {
      stopping.abort();
      await ended;
    };
  };
  let stop = start();
  held.defer(() => stop());
  const ending = held.move();
  const list = async () =>
    (await gateway.call("GET", "/admin/outbox?limit=200", { headers: asAdmin })).body
      .entries as OutboxEntry[];
  const quiet = async () => {
    const now = gateway.clock.now().getTime();
    const resting = async () => {
      const { body } = await gateway.call("GET", "/admin/accounts?tenant_id=a", { headers: asAdmin });
      return new Set(
        (body.accounts as Account[]).filter(({ status }) => status === "paused").map(({ id }) => id),
      );
    };
    for (;;) {
      const paused = await resting();
      const isBusy = (await list()).some(
        ({ status, next_retry_at, account_id }) =>
          status === "sending" ||
          (status === "pending" &&
            !paused.has(account_id) &&
            (next_retry_at === null || Date.parse(next_retry_at) <= now)),
      );
      if (!isBusy) return;
      await settle();
    }
  };
  const { clock, log } = gateway.deps;
  return {
    gateway,
    provider,
    marks: createChannelMarks(createSenderOf({ baseUrls: provider.baseUrls, fetch, clock, log }), log),
    async account(channel, index = 0) {
      const name = Object.keys(channels.get(channel)?.credentials.properties ?? {})[0] ?? "";
      const { status, body } = await gateway.call("POST", "/admin/accounts", {
        headers: asAdmin,
        body: {
          tenant_id: "a",
          channel,
          external_id: idOf(channel, index),
          credentials: { [name]: tokenOf(channel, index) },
        },
      });
      if (status !== 201) throw new Error(`The account was refused: ${JSON.stringify(body)}`);
      return body.id;
    },
    async send(body) {
      const answer = await gateway.call("POST", "/api/v1/messages/send", { headers: asA, body });
      if (answer.status !== 202) throw new Error(`The message was refused: ${JSON.stringify(answer.body)}`);
      return answer.body.message_id;
    },
    async entry(id) {
      const found = (await list()).find(({ message_id }) => message_id === id);
      if (found === undefined) throw new Error(`There is no message ${id}.`);
      return found;
    },
    async findAccount(id) {
      const { body } = await gateway.call("GET", "/admin/accounts?tenant_id=a", { headers: asAdmin });
      return (body.accounts as Account[]).find((one) => one.id === id);
    },
    quiet,
    async pass(ms) {
      // The worker would look once for each second of it.
      await stop();
      await gateway.clock.advance(ms);
      stop = start();
      await quiet();
    },
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}
