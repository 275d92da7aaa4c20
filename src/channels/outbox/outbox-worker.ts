import type { Clock } from "../../kit/clock.ts";
import { sleep } from "../../kit/clock.ts";
import type { KnownOwners } from "../../kit/concurrency/known-owners.ts";
import { OwnerPlaces } from "../../kit/concurrency/owner-places.ts";
import type { NewId } from "../../kit/id.ts";
import type { Logger } from "../../kit/log.ts";
import type { Random } from "../../kit/retry.ts";
import { traceIdOf } from "../../kit/trace-parent.ts";
import type { Worker } from "../../kit/worker.ts";
import { isStorageAway, roundsThroughOutages } from "../../storage/until-stored.ts";
import { type ClaimedMessage, claimMessages } from "./claim-messages.ts";
import type { MessageSender, OutboxAccount, SendResult, TryOutcome } from "./message-sender.ts";
import type { OutboxBell } from "./outbox-bell.ts";
import { type OutboxEffect, type OutboxInput, reasonOf, step } from "./outbox-step.ts";
import type { OutboxAccountRow } from "./schema.ts";
import {
  type SendAttempt,
  type Settlement,
  type SettlePorts,
  settleMessages,
  stateOf,
} from "./settle-messages.ts";
import { sweepOutbox } from "./sweep-outbox.ts";

export interface OutboxPorts extends SettlePorts {
  sender: MessageSender;
  /** Opens an account's credentials. */
  openAccount: (account: OutboxAccountRow) => OutboxAccount;
  bell: OutboxBell;
  /** The persons behind tenants, who take turns. */
  tenantOwners: KnownOwners;
  /** Told of what was stored, after the commit. */
  onSettled?: (settlements: readonly Settlement[]) => void;
  /** Places that one owner may have for each that remains free. Absent: three quarters of all, if there are no others. */
  placesPerFree?: number;
  /** Id of this process in leases. */
  owner: string;
  clock: Clock;
  newId: NewId;
  random: Random;
  log: Logger;
  /** Counts tries by outcome. */
  onResult?: (channel: string, result: SendResult) => void;
}

/** Longer than the time limit of one try and the storing of its result. */
const leaseMs = 45_000;
/** Tries at the same time. */
const inFlightMax = 64;
const placesPerFreeDefault = 3;
const pollMs = 1_000;
/** Rounds take about a second, or as long as one try if all places are taken. */
const silenceMaxMs = 2 * leaseMs;
const sweepMs = 10_000;
const settleTogether = 500;
/** At the stop, a result that can't be stored for this long is lost to the lease, and its outcome counts as unknown. */
const settleTriesMax = 30;

/** Worker that sends the messages of the outbox. Several processes may run it on one database. */
export const outboxWorker = (ports: OutboxPorts): Worker => ({
  name: "outbox",
  silenceMaxMs,
  run: (signal, beat) => new OutboxRun(ports).run(signal, beat),
});

/** One run of the worker. */
class OutboxRun {
  readonly #ports: OutboxPorts;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #places: OwnerPlaces;
  readonly #unstored: Settlement[] = [];
  #storing: Promise<void> | undefined;
  #sweepAtMs: number;
  #isEnding = false;
  /** True while results are kept that the storage didn't take. */
  #isKeeping = false;

  constructor(ports: OutboxPorts) {
    this.#ports = ports;
    this.#sweepAtMs = ports.clock.monotonicMs();
    this.#places = new OwnerPlaces(inFlightMax, ports.placesPerFree ?? placesPerFreeDefault);
  }

  async run(signal: AbortSignal, beat?: () => void): Promise<void> {
    const { clock, log } = this.#ports;
    const round = async () => {
      await this.#round(signal);
      beat?.();
    };
    try {
      await roundsThroughOutages(clock, signal, round, (err) => log.error("outbox.storage_away", { err }));
    } finally {
      this.#isEnding = true;
      // A try can't be taken back, so it ends by its own time limit.
      await Promise.all(this.#inFlight);
      await this.#storing;
    }
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { clock, bell } = this.#ports;
    // A result that is known and not yet stored must not be swept as unknown.
    if (clock.monotonicMs() >= this.#sweepAtMs && !this.#isKeeping) {
      await sweepOutbox(this.#ports);
      this.#sweepAtMs = clock.monotonicMs() + sweepMs;
    }
    const limit = this.#places.room;
    const claimed = limit > 0 ? await this.#claim(limit) : [];
    for (const message of claimed) this.#start(message);
    if (this.#places.free === 0) await Promise.race(this.#inFlight);
    else if (claimed.length < limit) await bell.wait(pollMs, signal);
  }

  #claim(limit: number): Promise<ClaimedMessage[]> {
    const { owner, newId, clock, tenantOwners } = this.#ports;
    return claimMessages(this.#ports, {
      owner,
      attemptId: newId(),
      now: clock.now(),
      limit,
      leaseMs,
      busy: this.#places.full().flatMap((full) => tenantOwners.tenantsOf(full)),
    });
  }

  #start(message: ClaimedMessage): void {
    const leave = this.#places.take(this.#ports.tenantOwners.of(message.row.tenantId));
    const work = this.#send(message).finally(() => {
      leave();
      this.#inFlight.delete(work);
      // The next message of the lane may go now.
      this.#ports.bell.ring();
    });
    this.#inFlight.add(work);
  }

  async #send({ row, account }: ClaimedMessage): Promise<void> {
    const { sender, clock, random, onResult } = this.#ports;
    const { result, channelMessageId, movedTo, namedAs } = await this.#try({ row, account });
    onResult?.(row.channel, result);
    const input: OutboxInput = {
      type: "result",
      result,
      hasReceipts: sender.hasReceipts(row.channel),
      spread: random(),
    };
    const transition = step(stateOf(row), input, clock.now());
    this.#log(row, result, transition.effects);
    const isAccepted = result.action === "sent" || result.action === "continue";
    const partsDone = row.partsDone + (isAccepted ? 1 : 0);
    const attempt = attemptOf(row, result);
    this.#unstored.push({ row, transition, channelMessageId, partsDone, movedTo, namedAs, attempt });
    this.#storing ??= this.#store().finally(() => {
      this.#storing = undefined;
    });
    await this.#storing;
  }

  async #try({ row, account }: ClaimedMessage): Promise<TryOutcome> {
    const { sender, openAccount, log } = this.#ports;
    let opened: OutboxAccount;
    try {
      opened = openAccount(account);
    } catch (err) {
      log.error("outbox.account_sealed", { account: account.id, err });
      return nothingSent({ action: "pause", code: "credentials_unreadable" });
    }
    try {
      const message = { ...row.payload, token: row.id, recipient: row.recipient };
      return await sender.send(opened, message, row.partsDone);
    } catch (err) {
      log.error("outbox.send_broke", { message: row.id, err });
      return nothingSent({ action: "unknown", code: "internal" });
    }
  }

  /** Stores results together, as many as came while the last ones were stored. */
  async #store(): Promise<void> {
    const { clock, log, onSettled } = this.#ports;
    while (this.#unstored.length > 0) {
      const some = this.#unstored.splice(0, settleTogether);
      for (let tries = 1; ; tries++) {
        try {
          const settled = await settleMessages(this.#ports, some, clock.now());
          const stored = new Set(settled);
          onSettled?.(some.filter(({ row }) => stored.has(row.id)));
          if (settled.length < some.length)
            log.warn("outbox.settled_late", { messages: some.length - settled.length });
          this.#isKeeping = false;
          break;
        } catch (err) {
          this.#isKeeping = true;
          if (tries === 1 || tries % settleTriesMax === 0)
            log.error("outbox.result_not_stored", { messages: some.length, tries, err });
          if (tries >= settleTriesMax && (this.#isEnding || !isStorageAway(err))) {
            this.#isKeeping = false;
            break;
          }
          await sleep(clock, pollMs);
        }
      }
    }
  }

  #log(
    { id, accountId, payload: { trace = traceIdOf(id) } }: ClaimedMessage["row"],
    result: SendResult,
    effects: readonly OutboxEffect[],
  ): void {
    const { log } = this.#ports;
    if (result.action === "paced") {
      log.debug("outbox.paced", { message: id, trace_id: trace, wait_ms: Math.ceil(result.waitMs) });
    } else if ("code" in result) {
      const { action, code } = result;
      log.info("outbox.not_sent", { message: id, trace_id: trace, action, code });
    } else log.debug("outbox.sent", { message: id, trace_id: trace });
    for (const effect of effects) {
      switch (effect.type) {
        case "pause_account":
          log.error("outbox.account_paused", { account: accountId, reason: effect.reason });
          break;
        case "quiet_account":
          log.warn("outbox.account_waits", { account: accountId, until: effect.until.toISOString() });
          break;
        case "alert":
          log.error("outbox.account_alert", { account: accountId, reason: effect.reason });
          break;
      }
    }
  }
}

/** The call that was made, if one was. A message that its provider accepts at once needs none, because its row tells the same. */
function attemptOf(row: ClaimedMessage["row"], result: SendResult): SendAttempt | undefined {
  if (result.action === "paced" || (result.action === "sent" && row.partsDone === 0)) return undefined;
  return {
    outcome: result.action,
    call: row.partsDone + 1,
    ...("code" in result && { error: reasonOf(result) }),
  };
}

const nothingSent = (result: SendResult): TryOutcome => ({ result, channelMessageId: undefined });
