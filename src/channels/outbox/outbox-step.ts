import type { MessageStatus } from "../../contracts/gateway/messages.ts";
import { interruptedRepeatedly, interruptionsMax } from "../../storage/begun-work.ts";
import type { SendResult } from "./message-sender.ts";

/*
 * The life of an outbound message.
 *
 * pending  It waits for its time, for earlier messages to the same recipient, or for a paused account.
 *          claimed → sending. Its expiry passes → failed `expired`. Its account is deleted → failed `account_deleted`. A person takes over
 *          the conversation that it answers → failed `taken_over`.
 * sending  One worker has it under a lease and calls the provider. Its account is gone → failed `account_deleted`.
 *          sent    → sent.
 *          continue → pending at once: the provider accepted one call of several, and the next try makes the next one.
 *          retry   → pending. If the provider says how long to wait, that is not a failed try; a wait of nothing says nothing. Short waits grow
 *                    with the time that the message waits already, up to a minute, because nothing else bounds their number. Otherwise it is
 *                    a failed try, and the wait grows with each. The tenth one, or the last one that the provider's error allows → failed.
 *          paced   → pending, with nothing counted: no call was made, because the provider's rate allows none yet.
 *          final   → failed.
 *          pause   → pending at once, and the account is paused: the fault is the account's, so it is not a failed try.
 *          unknown → pending, and unsettled: the provider may have accepted it. If receipts show what became of it, the next try waits at
 *                    least 60 s for one. If the channel has no receipts, it is tried once more, and a second unknown outcome → failed.
 *          The lease expires → the same as unknown, but no failed try, because the process died and not the delivery. If that is its third
 *          unknown outcome → failed `interrupted_repeatedly`.
 *          A process that starts begins the wait for a receipt again, because the receipt may have come to a closed door. That ends 15 minutes after
 *          the first try, so that a process that dies again and again sends in the end.
 * sent, failed  Closed. An operator may retry a failed message: it starts again with no failed tries and a new expiry.
 *
 * A receipt that the last call arrived makes the message sent in every state; one of an earlier call counts as the answer `continue`. A
 * receipt of failure counts only while the message is unsettled, and then as the provider's answer to the last try.
 */

/** The part of an outbox row that its transitions read and change. */
export interface OutboxState {
  status: MessageStatus;
  /** Failed tries. */
  attempts: number;
  /** Tries whose outcome stayed unknown. */
  unknowns: number;
  /** True while only a receipt can tell the outcome of the last try. */
  isUnsettled: boolean;
  lastError: string | null;
  /** Earliest time of the next try. */
  dueAt: Date;
  /** Time of the first try without success; from then on it holds up later replies for a limited time only. */
  waitingSince: Date | null;
  expiresAt: Date;
}

export type OutboxInput =
  | { type: "claimed" }
  /** `spread`: 0 to 1, spreads the waits. `hasReceipts`: receipts of the channel tell of every accepted message. */
  | { type: "result"; result: SendResult; hasReceipts: boolean; spread: number }
  | { type: "lease_expired"; hasReceipts: boolean }
  /** `isLast`: it is about the last call of the message. */
  | { type: "receipt"; arrived: true; isLast: boolean }
  | { type: "receipt"; arrived: false; result: SendResult; spread: number }
  | { type: "account_deleted" }
  /** A claimed message turned out to have no account. */
  | { type: "orphaned" }
  | { type: "looked_at" }
  /** A process begins to listen for receipts. */
  | { type: "listened" }
  | { type: "retried" };

export type OutboxEffect =
  | { type: "pause_account"; reason: string }
  /** No message of the account may be sent before this time. */
  | { type: "quiet_account"; until: Date }
  /** The operator must look at the account, although it goes on. */
  | { type: "alert"; reason: string };

export interface OutboxTransition {
  state: OutboxState;
  effects: readonly OutboxEffect[];
}

export const attemptsMax = 10;
/** Waits after the first failed try, the second, and so on. */
export const retryWaitsMs = [2, 5, 15, 45, 120, 360, 900, 2_400, 7_200].map((seconds) => seconds * 1000);
export const receiptWaitMs = 60_000;
/** Restarts prolong the wait for a receipt at most until this long after the first try. */
export const listenMs = 15 * 60_000;
/** A provider that asks for short waits again and again is called again after this at the latest, unless it asks for longer. */
const shortWaitMaxMs = 60_000;
/** Second try of a message with an unknown outcome on a channel without receipts. */
const blindWaitMs = 2_000;
export const lifeMs = 24 * 60 * 60_000;
/** A reply waits at most this long for an earlier message that fails again and again. */
export const replyHoldMs = 15 * 60_000;

/** A new message. */
export const newOutboxState = (now: Date): OutboxState => ({
  status: "pending",
  attempts: 0,
  unknowns: 0,
  isUnsettled: false,
  lastError: null,
  dueAt: now,
  waitingSince: null,
  expiresAt: after(now, lifeMs),
});

/** Returns the state after `input`. Inputs that don't apply to the state, such as a late result, are ignored. */
export function step(state: OutboxState, input: OutboxInput, now: Date): OutboxTransition {
  switch (input.type) {
    case "claimed":
      if (state.status !== "pending") return unchanged(state);
      return isOver(state, now)
        ? to(fail(state, "expired"))
        : to({ ...state, status: "sending", isUnsettled: false });
    case "looked_at":
      return state.status === "pending" && isOver(state, now) ? to(fail(state, "expired")) : unchanged(state);
    case "listened":
      return listened(state, now);
    case "account_deleted":
      return state.status === "pending" ? to(fail(state, "account_deleted")) : unchanged(state);
    case "orphaned":
      return state.status === "sending" ? to(fail(state, "account_deleted")) : unchanged(state);
    case "retried":
      return state.status === "failed" ? to(newOutboxState(now)) : unchanged(state);
    case "lease_expired":
      return state.status === "sending"
        ? to(afterUnknown(state, "interrupted", input.hasReceipts, now))
        : unchanged(state);
    case "result":
      return state.status === "sending"
        ? afterResult(state, input.result, { ...input, now })
        : unchanged(state);
    case "receipt":
      if (input.arrived) {
        if (state.status === "sent") return unchanged(state);
        if (input.isLast) return to(sent(state));
        return state.status === "failed" ? unchanged(state) : to(goOn(state, now));
      }
      if (!state.isUnsettled || state.status === "sent" || state.status === "failed") return unchanged(state);
      return afterResult(state, input.result, { hasReceipts: true, spread: input.spread, now });
  }
}

interface Circumstances {
  hasReceipts: boolean;
  spread: number;
  now: Date;
}

function afterResult(
  state: OutboxState,
  result: SendResult,
  { hasReceipts, spread, now }: Circumstances,
): OutboxTransition {
  switch (result.action) {
    case "sent":
      return to(sent(state));
    case "continue":
      return to(goOn(state, now));
    case "paced":
      return to({ ...state, status: "pending", dueAt: after(now, result.waitMs) });
    case "final":
      return to(fail({ ...state, attempts: state.attempts + 1 }, reasonOf(result)));
    case "pause":
      return to(waiting(state, reasonOf(result), now, now), [
        { type: "pause_account", reason: reasonOf(result) },
      ]);
    case "unknown": {
      const tried = { ...state, attempts: state.attempts + 1 };
      if (tried.attempts >= attemptsMax) return to(fail(tried, reasonOf(result)));
      return to(afterUnknown(tried, reasonOf(result), hasReceipts, now));
    }
    case "retry":
      return afterRetry(state, result, spread, now);
  }
}

function afterRetry(
  state: OutboxState,
  result: Extract<SendResult, { action: "retry" }>,
  spread: number,
  now: Date,
): OutboxTransition {
  const { waitMs, triesMax = attemptsMax, isAccountWide, alerts = false } = result;
  const reason = reasonOf(result);
  const effects = (until: Date): OutboxEffect[] => [
    ...(isAccountWide ? [{ type: "quiet_account" as const, until }] : []),
    ...(alerts ? [{ type: "alert" as const, reason }] : []),
  ];
  // `Retry-After: 0` leaves the time to us. If it were a wait, the message would be sent in a loop, with no try counted.
  if (waitMs !== undefined && waitMs > 0) {
    const dueAt = after(now, Math.max(waitMs, shortestWait(state, now)));
    return to(waiting(state, reason, dueAt, now), effects(after(now, waitMs)));
  }
  const attempts = state.attempts + 1;
  const tried = { ...state, attempts };
  if (attempts >= Math.min(triesMax, attemptsMax)) return to(fail(tried, reason));
  const until = after(now, spreadWait(attempts, spread));
  return to(waiting(tried, reason, until, now), effects(until));
}

function afterUnknown(state: OutboxState, code: string, hasReceipts: boolean, now: Date): OutboxState {
  const unknowns = state.unknowns + 1;
  if (!hasReceipts && unknowns > 1) return fail({ ...state, unknowns }, "outcome_unknown");
  if (code === "interrupted" && unknowns >= interruptionsMax)
    return fail({ ...state, unknowns }, interruptedRepeatedly);
  const dueAt = after(now, hasReceipts ? receiptWaitMs : blindWaitMs);
  return { ...waiting(state, code, dueAt, now), unknowns, isUnsettled: hasReceipts };
}

function listened(state: OutboxState, now: Date): OutboxTransition {
  if (state.status !== "pending" || !state.isUnsettled) return unchanged(state);
  const dueAt = after(now, receiptWaitMs);
  const since = state.waitingSince ?? now;
  if (dueAt <= state.dueAt || now.getTime() - since.getTime() >= listenMs) return unchanged(state);
  return to({ ...state, dueAt });
}

/** A tenth of the time since the first try: a message whose provider always asks for one second is tried some 1,500 times in its day. */
function shortestWait({ waitingSince }: OutboxState, now: Date): number {
  const waitedMs = waitingSince === null ? 0 : now.getTime() - waitingSince.getTime();
  return Math.min(Math.max(waitedMs, 0) / 10, shortWaitMaxMs);
}

/** Returns the wait after failed try number `attempts`, 80 % to 120 % of the table's. */
function spreadWait(attempts: number, spread: number): number {
  const waitMs = retryWaitsMs[Math.min(attempts, retryWaitsMs.length) - 1] ?? 0;
  return Math.round(waitMs * (0.8 + 0.4 * spread));
}

/** The provider's error as operators and senders read it: its code, then its text. */
export const reasonOf = ({ code, message }: { code: string; message?: string | undefined }): string =>
  message === undefined || message === "" ? code : `${code}: ${message}`;

const goOn = (state: OutboxState, now: Date): OutboxState => ({
  ...state,
  status: "pending",
  unknowns: 0,
  isUnsettled: false,
  dueAt: now,
});

const waiting = (state: OutboxState, code: string, dueAt: Date, now: Date): OutboxState => ({
  ...state,
  status: "pending",
  isUnsettled: false,
  lastError: code,
  dueAt,
  waitingSince: state.waitingSince ?? now,
});

/** Errors that were overcome are told by the trail alone. */
const sent = (state: OutboxState): OutboxState => ({
  ...state,
  status: "sent",
  isUnsettled: false,
  lastError: null,
});

const fail = (state: OutboxState, code: string): OutboxState => ({
  ...state,
  status: "failed",
  isUnsettled: false,
  lastError: code,
});

const isOver = ({ expiresAt }: OutboxState, now: Date) => expiresAt.getTime() <= now.getTime();
const after = (now: Date, ms: number) => new Date(now.getTime() + ms);
const to = (state: OutboxState, effects: readonly OutboxEffect[] = []): OutboxTransition => ({
  state,
  effects,
});
const unchanged = (state: OutboxState): OutboxTransition => to(state);
