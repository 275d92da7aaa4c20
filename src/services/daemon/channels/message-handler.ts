import { toAppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { AccountPause } from "./account-pause.ts";
import type { Question } from "./answer-message.ts";
import type { ChannelMetrics } from "./channel-metrics.ts";
import { notices } from "./notices.ts";
import type { Reply, ReplyResult } from "./phone-messenger/reply-sender.ts";
import type { ChannelTables, MessageState } from "./schema.ts";
import { type ChannelKey, closeMessages, moveMessage, type StoredMessage } from "./store.ts";

export interface HandlerPorts {
  storage: Storage<ChannelTables>;
  key: ChannelKey;
  /** Who answers. */
  agent: string;
  answer: (question: Question) => Promise<string>;
  send: (reply: Reply, signal: AbortSignal) => Promise<ReplyResult>;
  account: AccountPause;
  metrics: ChannelMetrics;
  clock: Clock;
  log: Logger;
  /** Aborts when what is in work is to end: see `DaemonDeps.stopping`. */
  stopping: AbortSignal;
}

/** `answer` a message, `tell` its sender to slow down, or `apologise` for a run that a stop or a crash cut off. */
export type Task = "answer" | "tell" | "apologise";

/** The provider takes a free answer for a day after the message. */
const answerableMs = 24 * 60 * 60_000;

/**
 * Does one task about one message. Each step is written before it is taken, so that nobody takes it twice: a message whose
 * run was cut off is not run again. Never rejects. `begins` aborts when nothing new may begin.
 */
export async function handleMessage(
  ports: HandlerPorts,
  { id, task }: { id: string; task: Task },
  begins: AbortSignal,
): Promise<void> {
  const { account, log, metrics, stopping } = ports;
  try {
    await account.enter(id, begins);
    if (task === "apologise") return await reply(ports, id, "running", notices.failed);
    if (task === "tell") return await reply(ports, id, "waiting", notices.too_many);
    const message = await moveMessage(ports.storage, ports.key, id, { from: "waiting", to: "running" });
    if (message === undefined) return;
    const text = await answerTo(ports, message);
    await reply(ports, id, "running", text);
  } catch (thrown) {
    if (thrown === begins.reason || thrown === stopping.reason) return;
    metrics.messages("error");
    log.error("channel.message_error", { message: id, err: thrown });
  } finally {
    account.leave(id);
  }
}

/** What the sender is told; rejects when the process stops meanwhile. */
async function answerTo(ports: HandlerPorts, message: StoredMessage): Promise<string> {
  const { agent, answer, log, metrics, stopping } = ports;
  if (message.request !== "text") return notices[message.request];
  if (isTooLate(ports, message)) return "";
  try {
    const response = await answer({
      agent,
      sessionId: message.sender,
      text: message.text,
      context: contextOf(ports, message),
      requestId: message.id,
    });
    if (response.trim() !== "") {
      metrics.messages("answered");
      return response;
    }
    log.warn("channel.run_failed", { message: message.id, agent, code: "empty_answer" });
  } catch (thrown) {
    stopping.throwIfAborted();
    const error = toAppError(thrown);
    if (error.code === "approval_required") {
      metrics.messages("awaits_approval");
      return notices.approval;
    }
    const cause = error.kind === "internal" ? { err: error.cause } : {};
    log.warn("channel.run_failed", { message: message.id, agent, code: error.code, ...cause });
  }
  metrics.messages("run_failed");
  return notices.failed;
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

/** Sends an answer to a message at step `from` and closes the message. */
async function reply(ports: HandlerPorts, id: string, from: MessageState, text: string): Promise<void> {
  const { storage, key, log, metrics } = ports;
  const message = await moveMessage(storage, key, id, { from, to: "replying" });
  if (message === undefined) return;
  if (isTooLate(ports, message)) {
    metrics.messages("too_late");
    log.warn("channel.message_too_late", { message: id });
  } else {
    const recipient = { kind: message.senderKind, address: message.sender };
    const result = await ports.send({ id, recipient, text }, ports.stopping);
    metrics.messages(`reply_${result}`);
    if (result === "interrupted") {
      await moveMessage(storage, key, id, { from: "replying", to: "running" });
      return;
    }
  }
  await closeMessages(storage, key, [id]);
}

function isTooLate({ clock }: HandlerPorts, { receivedAt }: StoredMessage): boolean {
  return clock.now().getTime() - receivedAt.getTime() > answerableMs;
}
