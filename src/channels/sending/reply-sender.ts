import { type Clock, sleep } from "../../kit/clock.ts";
import type { Logger } from "../../kit/log.ts";
import { type Random, retryDelayMs, withJitter } from "../../kit/retry.ts";
import type { ChannelMetrics } from "../channel-metrics.ts";
import type { Sender } from "../delivery.ts";
import type { AccountPause } from "./account-pause.ts";
import type { MessageApi, SendOutcome } from "./message-api.ts";
import type { Receipts } from "./receipts.ts";
import { splitText } from "./split-text.ts";

export interface ReplyPorts {
  api: MessageApi;
  receipts: Receipts;
  account: AccountPause;
  metrics: ChannelMetrics;
  clock: Clock;
  random: Random;
  log: Logger;
}

/** One answer to one message. */
export interface Reply {
  /** Id of the message that is answered. */
  id: string;
  recipient: Sender;
  text: string;
  /** Called with the provider's id of each message that it accepted. */
  onSent?: ((providerId: string) => Promise<void>) | undefined;
}

/**
 * `sent`; `failed`: the provider refused it, or part of it, or time ran out; `unknown`: it may have arrived; `interrupted`: the process
 * stops and nothing was sent.
 */
export type ReplyResult = "sent" | "failed" | "unknown" | "interrupted";

/** Maximum number of messages for one answer; longer answers are cut. */
const partsMax = 10;
/** Time limit for sending an answer. */
const holdMs = 15 * 60_000;
/** Time to wait for the status of a message whose sending was cut off. */
const receiptMs = 60_000;

/** Sends answers and retries as `docs/channels.md` describes. */
export class ReplySender {
  readonly #ports: ReplyPorts;
  /** Time on the monotonic clock before which nothing is sent from this account, because the provider asked to wait. */
  #quietUntilMs = 0;

  constructor(ports: ReplyPorts) {
    this.#ports = ports;
  }

  /** Sends the parts of `reply` in order. If `signal` aborts, waits end, but an attempt in progress continues. */
  async send(reply: Reply, signal: AbortSignal): Promise<ReplyResult> {
    const deadlineMs = this.#ports.clock.monotonicMs() + holdMs;
    const parts = splitText(reply.text, this.#ports.api.textCharsMax, partsMax);
    for (const [index, text] of parts.entries()) {
      const part = {
        id: reply.id,
        recipient: reply.recipient,
        text,
        token: `${reply.id}.${index}`,
        onSent: reply.onSent,
      };
      const delivery = new PartDelivery(this.#ports, part, deadlineMs, signal);
      const result = await delivery.run({
        wait: () => this.#wait(deadlineMs, signal),
        quieten: (ms) => {
          this.#quietUntilMs = Math.max(this.#quietUntilMs, this.#ports.clock.monotonicMs() + ms);
        },
      });
      if (result === "interrupted" && index > 0) return "unknown";
      if (result !== "sent") return result;
    }
    return "sent";
  }

  /** Waits while the account must be quiet; false if that would exceed the deadline. */
  async #wait(deadlineMs: number, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#ports;
    for (;;) {
      const leftMs = this.#quietUntilMs - clock.monotonicMs();
      if (leftMs <= 0) return true;
      if (this.#quietUntilMs > deadlineMs) return false;
      await sleep(clock, leftMs, signal);
    }
  }
}

interface Part {
  id: string;
  recipient: Sender;
  text: string;
  token: string;
  onSent: Reply["onSent"];
}

interface Quiet {
  wait(): Promise<boolean>;
  quieten(ms: number): void;
}

/** Attempts to send one part. */
class PartDelivery {
  readonly #ports: ReplyPorts;
  readonly #part: Part;
  readonly #deadlineMs: number;
  readonly #signal: AbortSignal;
  #retries = 0;
  /** True if an attempt may have succeeded without a confirmation. */
  #isUncertain = false;

  constructor(ports: ReplyPorts, part: Part, deadlineMs: number, signal: AbortSignal) {
    this.#ports = ports;
    this.#part = part;
    this.#deadlineMs = deadlineMs;
    this.#signal = signal;
  }

  async run(quiet: Quiet): Promise<ReplyResult> {
    const { account, receipts, api, metrics, log } = this.#ports;
    const { id, token } = this.#part;
    receipts.watch(token);
    try {
      for (;;) {
        const mayGo = (await account.enter(id, this.#signal, this.#deadlineMs)) && (await quiet.wait());
        if (!mayGo) return this.#giveUp("too_late");
        const outcome = await api.sendText(this.#part);
        metrics.sendTried(outcome.action);
        const result = await this.#act(outcome, quiet);
        if (result !== undefined) return result;
      }
    } catch (thrown) {
      if (!this.#signal.aborted) throw thrown;
      if (this.#isUncertain) return "unknown";
      log.info("channel.reply_interrupted", { message: id });
      return "interrupted";
    } finally {
      receipts.forget(token);
    }
  }

  /** Acts on an outcome and returns the final result, or undefined for another attempt. */
  async #act(outcome: SendOutcome, quiet: Quiet): Promise<ReplyResult | undefined> {
    const { account, log } = this.#ports;
    switch (outcome.action) {
      case "sent":
        if (account.worked()) log.info("channel.resumed");
        if (outcome.providerId !== undefined) await this.#part.onSent?.(outcome.providerId);
        return "sent";
      case "final":
        // The provider processed the message, so the account works.
        if (account.worked()) log.info("channel.resumed");
        return this.#giveUp(outcome.code);
      case "late":
        log.error("channel.throttled_for_hours", { code: outcome.code });
        return this.#giveUp(outcome.code);
      case "account":
        if (account.failed(this.#part.id, outcome.code)) log.error("channel.paused", { code: outcome.code });
        return undefined;
      case "ambiguous":
        return this.#settle(outcome, quiet);
      case "retry":
        return this.#retry(outcome, quiet);
    }
  }

  async #retry(
    outcome: Extract<SendOutcome, { action: "retry" }>,
    quiet: Quiet,
  ): Promise<ReplyResult | undefined> {
    const { clock, random, log } = this.#ports;
    const { code, retriesMax, delaysMs, retryAfterMs, isAccountWide, alerts } = outcome;
    const fields = { message: this.#part.id, code };
    if (alerts) log.error("channel.unreachable", fields);
    if (++this.#retries > retriesMax) return this.#giveUp(code);
    const waitMs = retryAfterMs ?? withJitter(retryDelayMs(delaysMs, this.#retries), random);
    if (clock.monotonicMs() + waitMs > this.#deadlineMs) return this.#giveUp(code);
    log.info("channel.send_retried", { ...fields, wait_ms: Math.round(waitMs) });
    if (isAccountWide) quiet.quieten(waitMs);
    await sleep(clock, waitMs, this.#signal);
    return undefined;
  }

  /** Waits for the status that shows whether the part arrived. Without one, sends it once more, but only once. */
  async #settle(outcome: SendOutcome & { code: string }, quiet: Quiet): Promise<ReplyResult | undefined> {
    const { api, receipts, log } = this.#ports;
    const fields = { message: this.#part.id, code: outcome.code };
    const isSecond = this.#isUncertain;
    this.#isUncertain = true;
    const status = await receipts.settle(this.#part.token, receiptMs, this.#signal);
    if (status?.status === "failed") {
      this.#isUncertain = false;
      receipts.watch(this.#part.token);
      const known = status.code === undefined ? undefined : api.outcomeOfCode(status.code);
      return this.#act(known ?? { action: "final", code: String(status.code ?? "failed") }, quiet);
    }
    if (status !== undefined) return this.#act({ action: "sent" }, quiet);
    if (!isSecond) {
      log.warn("channel.sent_again", fields);
      return undefined;
    }
    log.error("channel.reply_unknown", fields);
    return "unknown";
  }

  #giveUp(code: string): ReplyResult {
    this.#ports.log.error("channel.reply_failed", { message: this.#part.id, code });
    return "failed";
  }
}
