import { createProviderMedia, type FileNetwork } from "../../../channels/media/provider-media.ts";
import { createSenderOf } from "../../../channels/outbox/channel-senders.ts";
import { OutboxBell } from "../../../channels/outbox/outbox-bell.ts";
import { createProviderSender } from "../../../channels/outbox/provider-sender.ts";
import type { ApiFetch } from "../../../channels/sending/provider-call.ts";
import { answerHandshake, isSigned } from "../../../channels/whatsapp/verify-webhook.ts";
import type { WhatsAppAccount } from "../../../channels/whatsapp/whatsapp-sender.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { BackgroundGate } from "../../../kit/concurrency/background-gate.ts";
import { KnownOwners } from "../../../kit/concurrency/known-owners.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Random } from "../../../kit/retry.ts";
import type { AwaitedAnswers } from "../paused-runs/awaited-answers.ts";
import { createAnswerLedger } from "./answer-ledger.ts";
import { AnswerReactions, type ChannelReactionPorts } from "./answer-reactions.ts";
import { findPaused } from "./channel-account.ts";
import type { ChannelMetrics } from "./channel-metrics.ts";
import { type ChannelWork, channelWork } from "./channel-workers.ts";
import { countUnanswered } from "./count-unanswered.ts";
import type { ChannelAnswer, ChannelProcessPorts, ChannelQuestion } from "./process-event.ts";
import { type MessageArrived, receiveDelivery } from "./receive-delivery.ts";
import { tryingAlone } from "./refused-account.ts";
import type { ChannelAccount, ChannelStorage } from "./schema.ts";
import type { SenderLimitRule } from "./sender-limit.ts";

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
  storage: ChannelStorage;
  tenant: string;
  /** Id of this process, new at each start. */
  owner: string;
  answer: (question: ChannelQuestion) => Promise<ChannelAnswer>;
  answerQuestion: ChannelProcessPorts["answerQuestion"];
  /** Verdicts beside the traces of runs. */
  traces: ChannelReactionPorts["traces"];
  /** Outcomes of runs that wait for a person or a caller. */
  awaited: AwaitedAnswers;
  arrived: MessageArrived;
  fetch: ApiFetch;
  /** Access to the files of messages. */
  network: FileNetwork;
  metrics: ChannelMetrics;
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
  /** Messages without an answer yet, and answers that are not sent. */
  open: number;
  /** The provider's error, while it refuses the account. */
  pausedBy: string | undefined;
  /** Number of deliveries since the start. */
  accepted: number;
  forged: number;
}

/** Channel `phone_messenger`: receives deliveries of WhatsApp's Cloud API and answers them with an agent. */
export interface PhoneMessenger extends ChannelWork {
  readonly settings: PhoneMessengerSettings;
  /** Answers the handshake with its challenge. */
  verify(query: URLSearchParams): string;
  /** Stores the users' messages and returns their number. Throws `signature_invalid`, `invalid_request` or `too_busy`. */
  deliver(body: Uint8Array, envelope: DeliveryEnvelope): Promise<{ queued: number }>;
  state(): Promise<PhoneMessengerState>;
}

/** Messaging channels of the daemon; undefined if not configured. */
export interface DaemonChannels {
  phoneMessenger: PhoneMessenger | undefined;
}

const channel = "phone_messenger";

/** Creates the channel: one account, that of the settings, on the inbox and the outbox. */
export function createPhoneMessenger(given: PhoneMessengerPorts): PhoneMessenger {
  const { settings, storage, clock, log, metrics } = given;
  const { phoneNumberId: id, apiBaseUrl, accessToken } = settings;
  const account: ChannelAccount = { id, tenantId: given.tenant, channel };
  const baseUrls = { graph: apiBaseUrl, instagram: apiBaseUrl, bot: apiBaseUrl };
  const reactions = new AnswerReactions({ storage, account, traces: given.traces, clock });
  const senderOf = createSenderOf({ baseUrls, fetch: given.fetch, clock, log });
  const provider = createProviderSender({ senderOf, settled: new Set([channel]), clock });
  const ports = {
    ...given,
    account,
    agent: settings.defaultAgent,
    limit: settings.rateLimit,
    reactions,
    ledger: createAnswerLedger(storage.tables, account, reactions, metrics),
    sender: tryingAlone(provider, log),
    opened: { ...account, externalId: id, credentials: { access_token: accessToken }, emulated: false },
    media: createProviderMedia({ network: given.network, baseUrls, log }),
    bell: new OutboxBell(clock),
    inboundBell: new OutboxBell(clock),
    gate: new BackgroundGate({ clock }),
    tenantOwners: new KnownOwners(),
  };
  let accepted = 0;
  let forged = 0;

  const requireSignature = (body: Uint8Array, { signature, isFromOutside }: DeliveryEnvelope) => {
    const { appSecret, allowsUnsigned } = settings;
    const isRight =
      appSecret === undefined ? allowsUnsigned || !isFromOutside : isSigned(signature, body, appSecret);
    if (isRight) return;
    forged++;
    metrics.delivered(channel, "forged");
    throw new AppError("forbidden", "signature_invalid", "The delivery's signature is not valid.");
  };

  return {
    settings,
    ...channelWork(ports),
    verify: (query) => answerHandshake(query, settings.verifyToken),
    async deliver(body, envelope) {
      requireSignature(body, envelope);
      const stored = await receiveDelivery(ports, body);
      accepted++;
      return stored;
    },
    state: async () => ({
      open: await countUnanswered(storage.read, storage.tables),
      pausedBy: (await findPaused(storage, account))?.pausedReason ?? undefined,
      accepted,
      forged,
    }),
  };
}
