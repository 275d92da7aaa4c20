import { AppError } from "../../../../kit/app-error.ts";
import type { Clock } from "../../../../kit/clock.ts";
import type { NewId } from "../../../../kit/id.ts";
import type { Logger } from "../../../../kit/log.ts";
import { inPieces } from "../../../../kit/others-turn.ts";
import type { Random } from "../../../../kit/retry.ts";
import type { Worker } from "../../../../kit/worker.ts";
import type { Storage } from "../../../../storage/storage.ts";
import { AccountPause, type AccountPauseState } from "../account-pause.ts";
import type { Question } from "../answer-message.ts";
import type { AwaitedAnswers } from "../awaited-answers.ts";
import type { ChannelMetrics } from "../channel-metrics.ts";
import { handleMessage } from "../message-handler.ts";
import { MessageInbox, openMax } from "../message-inbox.ts";
import type { ChannelTables } from "../schema.ts";
import { createSenderLimit } from "../sender-limit.ts";
import { type ChannelKey, countOpen, type StoredMessage } from "../store.ts";
import type { Delivery, InboundMessage, SendStatus } from "./delivery.ts";
import { answerHandshake } from "./handshake.ts";
import { readDelivery } from "./read-delivery.ts";
import { Receipts } from "./receipts.ts";
import { ReplySender } from "./reply-sender.ts";
import { type ApiFetch, createTextSender } from "./send-text.ts";
import type { PhoneMessengerSettings } from "./settings.ts";
import { isSigned } from "./signature.ts";

export interface PhoneMessengerPorts {
  settings: PhoneMessengerSettings;
  storage: Storage<ChannelTables>;
  tenant: string;
  /** Id of this process, new at each start. */
  owner: string;
  answer: (question: Question) => Promise<string>;
  /** Outcomes of runs that wait for a person or a caller. */
  awaited: AwaitedAnswers;
  fetch: ApiFetch;
  metrics: (open: () => number) => ChannelMetrics;
  clock: Clock;
  newId: NewId;
  random: Random;
  log: Logger;
  stopping: AbortSignal;
}

/** Facts about the HTTP request of a delivery. */
export interface DeliveryEnvelope {
  signature: string | null;
  /** True if the request came from another machine. */
  isFromOutside: boolean;
}

export interface PhoneMessengerState {
  /** Messages without an answer yet. */
  open: number;
  pausedBy: AccountPauseState | undefined;
  /** Number of deliveries since the start. */
  accepted: number;
  forged: number;
}

/** Channel `phone_messenger`: receives deliveries of WhatsApp's Cloud API and answers them with an agent. */
export interface PhoneMessenger {
  readonly settings: PhoneMessengerSettings;
  /** Answers the handshake with its challenge. */
  verify(query: URLSearchParams): string;
  /** Stores the users' messages and returns their number. Throws `signature_invalid`, `invalid_request` or `too_busy`. */
  deliver(body: Uint8Array, envelope: DeliveryEnvelope): Promise<{ queued: number }>;
  state(): Promise<PhoneMessengerState>;
  worker: Worker;
  begin(): void;
  retire(): Promise<void>;
}

export function createPhoneMessenger(ports: PhoneMessengerPorts): PhoneMessenger {
  const { settings, storage, clock, random, log, stopping } = ports;
  const key: ChannelKey = {
    tenant: ports.tenant,
    channel: "phone_messenger",
    account: settings.phoneNumberId,
  };
  const metrics = ports.metrics(() => inbox.inHand);
  const account = new AccountPause(clock);
  const receipts = new Receipts(clock);
  const send = createTextSender(settings, ports.fetch, clock);
  const sender = new ReplySender({ send, receipts, account, metrics, clock, random, log });
  const handler = {
    storage,
    key,
    agent: settings.defaultAgent,
    answer: ports.answer,
    awaited: ports.awaited,
    send: sender.send.bind(sender),
    account,
    metrics,
    clock,
    log,
    stopping,
  };
  const inbox = new MessageInbox({
    storage,
    key,
    owner: ports.owner,
    limit: createSenderLimit(settings.rateLimit),
    awaited: ports.awaited,
    handle: (job, begins) => handleMessage(handler, job, begins),
    metrics,
    clock,
    log,
  });
  let accepted = 0;
  let forged = 0;

  const requireSignature = (body: Uint8Array, { signature, isFromOutside }: DeliveryEnvelope) => {
    const { appSecret, allowsUnsigned } = settings;
    const isRight =
      appSecret === undefined ? allowsUnsigned || !isFromOutside : isSigned(signature, body, appSecret);
    if (isRight) return;
    forged++;
    metrics.delivered("forged");
    throw new AppError("forbidden", "signature_invalid", "The delivery's signature is not valid.");
  };
  const read = async (body: Uint8Array): Promise<Delivery> => {
    try {
      return await inPieces(readDelivery(body, settings.phoneNumberId));
    } catch (thrown) {
      metrics.delivered("unreadable");
      throw thrown;
    }
  };
  const note = (status: SendStatus) => {
    receipts.note(status);
    if (status.status !== "failed") return;
    // Our own token, unless another program sends from this account.
    const message = /^[\w-]{1,64}\.\d{1,2}$/.test(status.token) ? status.token : undefined;
    metrics.messages("undelivered");
    log.warn("channel.undelivered", { message, code: status.code });
  };

  return {
    settings,
    verify: (query) => answerHandshake(query, settings.verifyToken),
    async deliver(body, envelope) {
      requireSignature(body, envelope);
      const { messages, statuses, ignored } = await read(body);
      for (const [why, count] of ignored) metrics.messages(why, count);
      for (const status of statuses) note(status);
      const queued = await inbox.accept(messages.map((message) => stored(message, ports)));
      if (queued < messages.length) {
        metrics.delivered("full");
        throw queueFull(queued, messages.length);
      }
      accepted++;
      metrics.delivered("accepted");
      return { queued };
    },
    state: async () => ({
      open: await countOpen(storage, key),
      pausedBy: account.state,
      accepted,
      forged,
    }),
    worker: inbox.worker(),
    begin: () => inbox.begin(),
    retire: () => inbox.retire(),
  };
}

function stored(message: InboundMessage, { clock, newId }: PhoneMessengerPorts): StoredMessage {
  const receivedAt = clock.now();
  return {
    messageId: message.messageId,
    id: newId(),
    sender: message.sender.address,
    senderKind: message.sender.kind,
    contactName: message.contactName ?? null,
    request: message.request,
    text: message.text,
    sentAt: message.sentAt ?? receivedAt,
    receivedAt,
  };
}

function queueFull(queued: number, total: number): AppError {
  return new AppError(
    "unavailable",
    "too_busy",
    `${openMax} messages wait for an answer. Deliver the rest again later.`,
    { details: { retryAfterSeconds: 60, facts: { queued, total } } },
  );
}
