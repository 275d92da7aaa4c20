import type { ChannelMetrics } from "../../../channels/channel-metrics.ts";
import type { AwaitedAnswers } from "../../../channels/inbox/awaited-answers.ts";
import type { Task } from "../../../channels/inbox/message-inbox.ts";
import type { ChannelTables, MessageState } from "../../../channels/inbox/old-schema.ts";
import {
  awaitedBy,
  type ChannelKey,
  closeMessages,
  moveMessage,
  type StoredMessage,
} from "../../../channels/inbox/store.ts";
import type { AccountPause } from "../../../channels/sending/account-pause.ts";
import type { Reply, ReplyResult } from "../../../channels/sending/reply-sender.ts";
import { type AppError, toAppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Storage } from "../../../storage/storage.ts";
import { untilStored } from "../../../storage/until-stored.ts";
import { awaitedIn } from "../paused-runs/paused-runs.ts";

/** A user's message for the agent that answers. */
export interface Question {
  agent: string;
  sessionId: string;
  text: string;
  context: Record<string, unknown>;
  /** Id that the log shows for the run. */
  requestId: string;
}

/** An agent's answer, with the trace of its run. */
export interface Answered {
  text: string;
  traceId: string;
}

export interface HandlerPorts {
  storage: Storage<ChannelTables>;
  key: ChannelKey;
  /** Name of the agent that answers. */
  agent: string;
  answer: (question: Question) => Promise<Answered>;
  /** Remembers which run wrote a sent message, for reactions to it. Never rejects. */
  noteAnswer: (providerId: string, traceId: string) => Promise<void>;
  awaited: AwaitedAnswers;
  send: (reply: Reply, signal: AbortSignal) => Promise<ReplyResult>;
  account: AccountPause;
  metrics: ChannelMetrics;
  clock: Clock;
  log: Logger;
  /** Aborts when running work must end; see `DaemonDeps.stopping`. */
  stopping: AbortSignal;
}

/** Text to send, and the id that the run waits for. */
interface Told {
  text: string;
  /** Trace of the run that wrote the text; undefined for notices. */
  traceId?: string;
  awaits?: string;
}

/** Texts that a sender gets when no agent answers. */
const notices = {
  /** For a picture, a voice note, a button and so on. */
  other_kind: "Sorry, I can only read text messages for now. Please write to me in words.",
  too_long: "Sorry, that message is too long for me. Please send me a shorter one.",
  too_many: "You are writing faster than I can answer. Please wait a moment, then write again.",
  approval: "Someone has to approve that before I can go on. I will write to you when they have decided.",
  tool_result: "I have to wait for something before I can go on. I will write to you when it is there.",
  failed: "Sorry, something went wrong and I could not answer. Please try again in a moment.",
} as const;

/** The provider accepts free-form answers for 24 hours after the message. */
const answerableMs = 24 * 60 * 60_000;

/**
 * Does one task for one message. Writes each step before doing it, so no step is done twice: a message whose run was cut off is not run
 * again. Never rejects. `begins` aborts when no new work may begin.
 */
export async function handleMessage(
  ports: HandlerPorts,
  { id, task }: { id: string; task: Task },
  begins: AbortSignal,
): Promise<void> {
  const { account, log, metrics, stopping } = ports;
  try {
    await account.enter(id, begins);
    if (task === "apologise") return await reply(ports, id, "running", { text: notices.failed });
    if (task === "tell") return await reply(ports, id, "waiting", { text: notices.too_many });
    if (task === "follow") return await follow(ports, id);
    const message = await move(ports, id, { from: "waiting", to: "running" }, begins);
    if (message === undefined) return;
    await reply(ports, id, "running", await answerTo(ports, message));
  } catch (thrown) {
    if (thrown === begins.reason || thrown === stopping.reason) return;
    metrics.messages("error");
    log.error("channel.message_error", { message: id, err: thrown });
  } finally {
    account.leave(id);
  }
}

/** Sends the outcome of a run that waited. If the run waits again, sends nothing. */
async function follow(ports: HandlerPorts, id: string): Promise<void> {
  const { storage, key, awaited, log, metrics } = ports;
  let awaits = await awaitedBy(storage, key, id);
  if (awaits === undefined) return;
  let outcome = await awaited.outcome(awaits);
  while (outcome !== undefined && "awaits" in outcome) {
    awaits = outcome.awaits;
    await move(ports, id, { from: "paused", to: "paused", awaits });
    if ((await awaited.over([awaits])).length === 0) return;
    outcome = await awaited.outcome(awaits);
  }
  const text = outcome?.text.trim() === "" ? undefined : outcome?.text;
  metrics.messages(text === undefined ? "run_failed" : "answered");
  if (text === undefined)
    log.warn("channel.run_failed", { message: id, agent: ports.agent, code: "no_answer" });
  await reply(ports, id, "paused", { text: text ?? notices.failed }, awaits);
}

/** Returns the text to send. Rejects if the process stops in the meantime. */
async function answerTo(ports: HandlerPorts, message: StoredMessage): Promise<Told> {
  const { agent, answer, log, metrics, stopping } = ports;
  if (message.request !== "text") return { text: notices[message.request] };
  if (isTooLate(ports, message)) return { text: "" };
  try {
    const { text, traceId } = await answer({
      agent,
      sessionId: message.sender,
      text: message.text,
      context: contextOf(ports, message),
      requestId: message.id,
    });
    if (text.trim() !== "") {
      metrics.messages("answered");
      return { text, traceId };
    }
    log.warn("channel.run_failed", { message: message.id, agent, code: "empty_answer" });
  } catch (thrown) {
    stopping.throwIfAborted();
    const error = toAppError(thrown);
    const waits = waitingIn(error);
    if (waits !== undefined) {
      metrics.messages(waits.outcome);
      return waits;
    }
    const cause = error.kind === "internal" ? { err: error.cause } : {};
    log.warn("channel.run_failed", { message: message.id, agent, code: error.code, ...cause });
  }
  metrics.messages("run_failed");
  return { text: notices.failed };
}

/** Text to send for a run that waits; undefined for other errors. */
function waitingIn(error: AppError): (Told & { outcome: string }) | undefined {
  const awaited = awaitedIn(error);
  if (awaited?.status === "awaiting_approval") {
    return { text: notices.approval, awaits: awaited.approval_id, outcome: "awaits_approval" };
  }
  return awaited && { text: notices.tool_result, awaits: awaited.call_id, outcome: "awaits_tool_result" };
}

function contextOf({ key }: HandlerPorts, message: StoredMessage): Record<string, unknown> {
  return {
    channel: key.channel,
    sender: message.sender,
    ...(message.senderKind === "phone" ? { sender_phone: message.sender } : {}),
    ...(message.contactName === null ? {} : { contact_name: message.contactName }),
    message_id: message.messageId,
    received_at: message.receivedAt.toISOString(),
  };
}

/**
 * Sends an answer to a message in state `from`. Closes the message, or keeps it open for the next answer (`awaits`). `came` is the id that
 * the message waited for: an answer that a stop prevents is sent after the next start.
 */
async function reply(
  ports: HandlerPorts,
  id: string,
  from: MessageState,
  { text, traceId, awaits }: Told,
  came?: string,
): Promise<void> {
  const { storage, key, log, metrics, clock, stopping } = ports;
  const message = await move(ports, id, { from, to: "replying", awaits: awaits ?? null });
  if (message === undefined) return;
  if (isTooLate(ports, message)) {
    metrics.messages("too_late");
    log.warn("channel.message_too_late", { message: id });
  } else {
    const recipient = { kind: message.senderKind, address: message.sender };
    const onSent =
      traceId === undefined ? undefined : (providerId: string) => ports.noteAnswer(providerId, traceId);
    // Two answers to one message need two ids at the provider.
    const result = await ports.send({ id: came ?? id, recipient, text, onSent }, ports.stopping);
    metrics.messages(`reply_${result}`);
    if (result === "interrupted" && awaits === undefined) {
      const back =
        came === undefined ? ({ to: "running" } as const) : ({ to: "paused", awaits: came } as const);
      await move(ports, id, { from: "replying", ...back });
      return;
    }
  }
  if (awaits === undefined) await untilStored(clock, stopping, () => closeMessages(storage, key, [id]));
  else await move(ports, id, { from: "replying", to: "paused" });
}

/** Moves a message, as soon as the storage takes it: a message that stays where it is would wait for the next start. */
const move = (
  { storage, key, clock, stopping }: HandlerPorts,
  id: string,
  change: Parameters<typeof moveMessage>[3],
  ends = stopping,
) => untilStored(clock, ends, () => moveMessage(storage, key, id, change));

function isTooLate({ clock }: HandlerPorts, { receivedAt }: StoredMessage): boolean {
  return clock.now().getTime() - receivedAt.getTime() > answerableMs;
}
