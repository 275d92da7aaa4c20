import { queryOf, saysNothing } from "../../../channels/inbound/query-text.ts";
import { isTry } from "../../../channels/inbox/claim-events.ts";
import { closeEvent, leaseLost } from "../../../channels/inbox/close-event.ts";
import { storedEvent } from "../../../channels/inbox/event-row.ts";
import type { Processed } from "../../../channels/inbox/inbound-worker.ts";
import type { InboxRow } from "../../../channels/inbox/schema.ts";
import type { MediaSource } from "../../../channels/media/media-source.ts";
import { hasImages, runImages } from "../../../channels/media/run-images.ts";
import type { OutboxAccount } from "../../../channels/outbox/message-sender.ts";
import { type ReceiptPorts, recordReceipt } from "../../../channels/outbox/record-receipt.ts";
import type { Question } from "../../../contracts/daemon/questions/question.ts";
import { questionLines } from "../../../contracts/daemon/questions/written-answer.ts";
import { queryLengthMax } from "../../../contracts/daemon/runs/run.ts";
import type { RunImage } from "../../../contracts/platform/runs/runs.ts";
import { type AppError, toAppError } from "../../../kit/app-error.ts";
import type { Query } from "../../../storage/storage.ts";
import { untilStored } from "../../../storage/until-stored.ts";
import type { AwaitedAnswers } from "../paused-runs/awaited-answers.ts";
import { awaitedIn } from "../paused-runs/paused-runs.ts";
import type { TakenAnswer } from "./answer-question.ts";
import { findPaused } from "./channel-account.ts";
import {
  enqueueAnswer,
  type FinishedAnswer,
  type FinishPorts,
  finishMessage,
  isTooLate,
  type OpenMessage,
} from "./finish-message.ts";
import { forgetEvent } from "./forget-event.ts";
import { runContext } from "./run-context.ts";
import type { ChannelAccount, ChannelStorage, EventRow, MessagePlan } from "./schema.ts";

/** A user's message for the agent that answers. */
export interface ChannelQuestion {
  agent: string;
  sessionId: string;
  text: string;
  images: readonly RunImage[];
  context: Record<string, unknown>;
  /** Id that the log shows for the run. */
  requestId: string;
}

/** An agent's answer, with the trace of its run. */
export interface ChannelAnswer {
  text: string;
  traceId: string;
}

export interface ChannelProcessPorts extends FinishPorts, Omit<ReceiptPorts, "storage"> {
  storage: ChannelStorage;
  account: ChannelAccount;
  /** Name of the agent that answers. */
  agent: string;
  answer: (question: ChannelQuestion) => Promise<ChannelAnswer>;
  /** Takes a message as the answer to what a tool's server asked; undefined if it asked nothing. */
  answerQuestion: (question: ChannelQuestion) => Promise<TakenAnswer | undefined>;
  awaited: AwaitedAnswers;
  media: MediaSource;
  /** The account with its token, for the files of messages. */
  opened: OutboxAccount;
}

/** Texts that a sender gets when no agent answers. */
const notices = {
  /** For a message without a text, payload or file. */
  empty: "Sorry, I could not read that message. Please write to me in words.",
  too_long: "Sorry, that message is too long for me. Please send me a shorter one.",
  too_many: "You are writing faster than I can answer. Please wait a moment, then write again.",
  approval: "Someone has to approve that before I can go on. I will write to you when they have decided.",
  tool_result: "I have to wait for something before I can go on. I will write to you when it is there.",
  failed: "Sorry, something went wrong and I could not answer. Please try again in a moment.",
} as const;

/** Wait of a message whose run waits for a person or a caller; a run that ends in this process wakes it earlier. */
const awaitedMs = { postgres: 2_000, sqlite: 30_000 };
/** Waits of a message while its provider refuses the account. */
const refusedMs = { least: 1_000, most: 60_000 };

/** Processes one delivered event, and closes it together with its effects. */
export async function processEvent(
  ports: ChannelProcessPorts,
  claimed: InboxRow,
  signal: AbortSignal,
): Promise<Processed> {
  const row = claimed as EventRow;
  const event = storedEvent(row);
  if (event.type === "message") return processMessage(ports, { row, event }, signal);
  if (event.type === "status" && event.status !== "other") {
    const { token, status, messageId: channelMessageId, error } = event;
    const code = error?.code === undefined ? undefined : String(error.code);
    const details = error?.details ?? error?.title;
    await recordReceipt(ports, row.accountId, { token, status, code, details, channelMessageId });
  }
  await close(ports, row, event.type);
  return { type: "closed", outcome: event.type };
}

/** Closes an event that failed too often. A message gets an apology. */
export async function parkEvent(ports: ChannelProcessPorts, claimed: InboxRow): Promise<void> {
  const row = claimed as EventRow;
  const event = storedEvent(row);
  if (event.type !== "message") return close(ports, row, "parked", true);
  await finishMessage(
    ports,
    { row, event },
    { outcome: "parked", answer: { text: notices.failed }, isParked: true },
  );
}

/** Apologises for a message that was parked because its work was interrupted too often. */
export async function apologiseParked(ports: ChannelProcessPorts, claimed: InboxRow): Promise<void> {
  const row = claimed as EventRow;
  const event = storedEvent(row);
  if (event.type !== "message") return;
  await ports.storage.transact(async (tx) => {
    await forgetEvent(tx, ports.storage.tables, row);
    await enqueueAnswer(tx, ports, { row, event }, { text: notices.failed });
  });
  ports.bell.ring();
}

const close = ({ storage, clock }: ChannelProcessPorts, row: EventRow, outcome: string, isParked = false) =>
  storage.transact(
    async (tx) => {
      await closeEvent(tx, storage.tables, row, { outcome, isParked }, clock.now());
      await forgetEvent(tx, storage.tables, row);
    },
    { isolation: "read committed" },
  );

async function processMessage(
  ports: ChannelProcessPorts,
  message: OpenMessage,
  signal: AbortSignal,
): Promise<Processed> {
  const { storage, account, clock } = ports;
  const { row, event } = message;
  const finish = async (outcome: string, text?: string): Promise<Processed> => {
    await finishMessage(ports, message, { outcome, ...(text !== undefined && { answer: { text } }) });
    return { type: "closed", outcome };
  };
  const { plan } = row;
  if (plan !== null && "awaits" in plan) return follow(ports, message, plan.awaits);
  // A run that was cut off is not begun again, because its tools may have done something.
  if (plan !== null)
    return "begun" in plan ? finish("cut_off", notices.failed) : finish("limited", notices[plan.notice]);
  if (isTooLate(row, clock.now())) {
    ports.metrics.messages("too_late");
    return finish("too_late");
  }
  const paused = await findPaused(storage, account);
  if (paused !== undefined) {
    const restMs = (paused.quietUntil?.getTime() ?? 0) - clock.now().getTime();
    return { type: "later", waitMs: Math.min(Math.max(restMs, refusedMs.least), refusedMs.most) };
  }
  if (saysNothing(event)) return finish("empty", notices.empty);
  if (isTooLong(event.text)) return finish("too_long", notices.too_long);
  const images = hasImages(event) ? await runImages(ports.media, ports.opened, event, signal) : [];
  signal.throwIfAborted();
  const begin = (tx: Query) => keepPlan(tx, ports, row, { begun: true });
  await untilStored(clock, signal, () => storage.transact(begin, { isolation: "read committed" }));
  return run(ports, message, images, signal);
}

/** Runs the agent once, and keeps its answer until the storage takes it. If the process stops in the meantime, rejects. */
async function run(
  ports: ChannelProcessPorts,
  message: OpenMessage,
  images: readonly RunImage[],
  signal: AbortSignal,
): Promise<Processed> {
  const { agent, answer, clock, log, metrics } = ports;
  const { row, event } = message;
  const finish = async (outcome: string, text: FinishedAnswer | undefined): Promise<Processed> => {
    const end = { outcome, ...(text !== undefined && { answer: text }) };
    await untilStored(clock, signal, () => finishMessage(ports, message, end));
    return { type: "closed", outcome };
  };
  const failed = async (code: string, cause: object = {}): Promise<Processed> => {
    log.warn("channel.run_failed", { message: row.id, agent, code, ...cause });
    metrics.messages("run_failed");
    return finish("run_failed", { text: notices.failed });
  };
  const question: ChannelQuestion = {
    agent,
    sessionId: event.sender.address,
    text: queryOf(event),
    images,
    context: runContext(row, event),
    requestId: row.id,
  };
  let answered: ChannelAnswer;
  try {
    const taken = await ports.answerQuestion(question);
    if (taken !== undefined) {
      metrics.messages("answers_question");
      return finish("answers_question", taken.reply === undefined ? undefined : { text: taken.reply });
    }
    answered = await answer(question);
  } catch (thrown) {
    signal.throwIfAborted();
    const error = toAppError(thrown);
    const waits = waitingIn(error);
    if (waits !== undefined) {
      metrics.messages(waits.outcome);
      return untilStored(clock, signal, () => wait(ports, message, waits));
    }
    return failed(error.code, error.kind === "internal" ? { err: error.cause } : {});
  }
  if (answered.text.trim() === "") return failed("empty_answer");
  metrics.messages("answered");
  return finish("answered", answered);
}

interface Waiting {
  text: string;
  awaits: string;
  outcome: string;
}

/** What a run waits for; undefined for other errors. */
function waitingIn(error: AppError): Waiting | undefined {
  const awaited = awaitedIn(error);
  if (awaited?.status === "awaiting_approval")
    return awaited.question === undefined
      ? { text: notices.approval, awaits: awaited.approval_id, outcome: "awaits_approval" }
      : asks(awaited.question, awaited.approval_id);
  return awaited && { text: notices.tool_result, awaits: awaited.call_id, outcome: "awaits_tool_result" };
}

const asks = (question: Question, awaits: string): Waiting => ({
  text: questionLines(question).join("\n"),
  awaits,
  outcome: "awaits_answer",
});

/** Tells the user that the run waits, and lets later messages of the user be answered meanwhile. */
async function wait(
  ports: ChannelProcessPorts,
  message: OpenMessage,
  { text, awaits }: Waiting,
): Promise<Processed> {
  await ports.storage.transact(
    async (tx) => {
      // Stored by a try whose commit was not confirmed.
      if (await isAside(tx, ports, message.row, awaits)) return;
      await keepPlan(tx, ports, message.row, { awaits });
      await enqueueAnswer(tx, ports, message, { text });
    },
    { isolation: "read committed" },
  );
  ports.bell.ring();
  return aside(ports, message.row, awaits);
}

async function isAside(
  tx: Query,
  { storage: { tables } }: ChannelProcessPorts,
  row: EventRow,
  awaits: string,
): Promise<boolean> {
  const { inbound } = tables;
  const [stored] = await tx.select({ plan: inbound.plan }).from(inbound).where(isTry(tables, row));
  const plan = stored?.plan ?? {};
  return "awaits" in plan && plan.awaits === awaits;
}

const aside = ({ storage }: ChannelProcessPorts, { id }: EventRow, awaits: string): Processed => ({
  type: "later",
  waitMs: awaitedMs[storage.dialect],
  change: { plan: { awaits }, lane: `aside:${id}` },
});

/** Sends the outcome of a run that waited. If the run waits again, sends nothing. */
async function follow(ports: ChannelProcessPorts, message: OpenMessage, first: string): Promise<Processed> {
  const { awaited, agent, log, metrics } = ports;
  let awaits = first;
  for (;;) {
    if ((await awaited.over([awaits])).length === 0) return aside(ports, message.row, awaits);
    const outcome = await awaited.outcome(awaits);
    if (outcome !== undefined && "awaits" in outcome) {
      if (outcome.question !== undefined) return wait(ports, message, asks(outcome.question, outcome.awaits));
      awaits = outcome.awaits;
      continue;
    }
    const text = outcome?.text.trim() === "" ? undefined : outcome?.text;
    const name = text === undefined ? "run_failed" : "answered";
    metrics.messages(name);
    if (text === undefined)
      log.warn("channel.run_failed", { message: message.row.id, agent, code: "no_answer" });
    await finishMessage(ports, message, { outcome: name, answer: { text: text ?? notices.failed } });
    return { type: "closed", outcome: name };
  }
}

/** Notes the next step of a message. Throws `lease_lost` if another try has it. */
async function keepPlan(
  tx: Query,
  { storage: { tables } }: ChannelProcessPorts,
  row: EventRow,
  plan: MessagePlan,
): Promise<void> {
  const updated = await tx
    .update(tables.inbound)
    .set({ plan })
    .where(isTry(tables, row))
    .returning({ id: tables.inbound.id });
  if (updated.length === 0) throw leaseLost();
}

/** The limit applies to UTF-16 units and to UTF-8 bytes. */
const isTooLong = (text: string): boolean =>
  text.length > queryLengthMax || Buffer.byteLength(text) > queryLengthMax;
