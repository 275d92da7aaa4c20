import type { ChannelMetrics } from "../../../channels/channel-metrics.ts";
import type { Delivery, SendStatus } from "../../../channels/delivery.ts";
import type { AwaitedAnswers } from "../../../channels/inbox/awaited-answers.ts";
import { MessageInbox, openMax } from "../../../channels/inbox/message-inbox.ts";
import type { ChannelTables } from "../../../channels/inbox/old-schema.ts";
import { createSenderLimit, type SenderLimitRule } from "../../../channels/inbox/sender-limit.ts";
import { type ChannelKey, countOpen, newMessage } from "../../../channels/inbox/store.ts";
import { AccountPause, type AccountPauseState } from "../../../channels/sending/account-pause.ts";
import type { ApiFetch } from "../../../channels/sending/provider-call.ts";
import { Receipts } from "../../../channels/sending/receipts.ts";
import { ReplySender } from "../../../channels/sending/reply-sender.ts";
import { readDelivery } from "../../../channels/whatsapp/read-delivery.ts";
import { answerHandshake, isSigned } from "../../../channels/whatsapp/verify-webhook.ts";
import { createWhatsAppApi } from "../../../channels/whatsapp/whatsapp-api.ts";
import type { WhatsAppAccount } from "../../../channels/whatsapp/whatsapp-sender.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Random } from "../../../kit/retry.ts";
import type { Worker } from "../../../kit/worker.ts";
import type { Storage } from "../../../storage/storage.ts";
import { AnswerReactions, type ReactionPorts } from "./answer-reactions.ts";
import { type Answered, handleMessage, type Question } from "./message-handler.ts";

/** The operator's settings for the channel `phone_messenger`, WhatsApp's Cloud API. */
export interface PhoneMessengerSettings extends WhatsAppAccount {
  verifyToken: string;
  /** If undefined, signatures of deliveries are not checked. */
  appSecret: string | undefined;
  /** True if unsigned deliveries are accepted from other machines as well. */
  allowsUnsigned: boolean;
  defaultAgent: string;
  rateLimit: SenderLimitRule;
}

export interface PhoneMessengerPorts {
  settings: PhoneMessengerSettings;
  storage: Storage<ChannelTables>;
  tenant: string;
  /** Id of this process, new at each start. */
  owner: string;
  answer: (question: Question) => Promise<Answered>;
  /** Verdicts beside the traces of runs. */
  traces: ReactionPorts["traces"];
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

/** Messaging channels of the daemon; undefined if not configured. */
export interface DaemonChannels {
  phoneMessenger: PhoneMessenger | undefined;
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
  const api = createWhatsAppApi(settings, ports.fetch, clock);
  const sender = new ReplySender({ api, receipts, account, metrics, clock, random, log });
  const reactions = new AnswerReactions({ ...ports, key });
  const handler = {
    storage,
    key,
    agent: settings.defaultAgent,
    answer: ports.answer,
    noteAnswer: reactions.noteAnswer.bind(reactions),
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
      const { messages, statuses, reactions: reacted, ignored } = await read(body);
      for (const [why, count] of ignored) metrics.messages(why, count);
      for (const status of statuses) note(status);
      for (const reaction of reacted) metrics.messages(`reaction_${await reactions.record(reaction)}`);
      const queued = await inbox.accept(messages.map((message) => newMessage(message, ports)));
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

function queueFull(queued: number, total: number): AppError {
  return new AppError(
    "unavailable",
    "too_busy",
    `${openMax} messages wait for an answer. Deliver the rest again later.`,
    { details: { retryAfterSeconds: 60, facts: { queued, total } } },
  );
}
