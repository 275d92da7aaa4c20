import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { MessageContent } from "../../../contracts/gateway/messages.ts";

/** A message that was sent from an emulated account. */
export interface EmulatedMessage {
  at: Date;
  channel: ChannelName;
  /** External id of the account. */
  account: string;
  recipient: string;
  content: MessageContent;
}

const keptMax = 500;

/** Faults that an emulated provider can play: it asks to wait, or refuses free text because the user wrote too long ago. */
export type EmulatorFault = "429" | "closed-window";

/** Messages that an emulated provider refuses. */
export interface PlannedFault {
  /** The account's id. */
  accountId: string;
  /** The provider's id of a user's message: only its answers fail. Undefined: whatever the account sends next. */
  answersTo: string | undefined;
  fault: EmulatorFault;
  times: number;
}

/** The last messages of emulated accounts, in memory: nothing transports them. */
export class EmulatorRing {
  readonly #messages: EmulatedMessage[] = [];
  #faults: PlannedFault[] = [];

  /** Lets messages fail. It replaces an earlier plan for the same ones; of too many plans the oldest is dropped. */
  fail(planned: PlannedFault): void {
    const { accountId, answersTo } = planned;
    const others = this.#faults.filter(
      (other) => other.accountId !== accountId || other.answersTo !== answersTo,
    );
    this.#faults = [...others, planned].slice(-keptMax);
  }

  /** Returns the fault that a message of the account meets, and counts it. `answered` finds the user's message that it answers, if any. */
  async takeFault(
    accountId: string,
    answered: () => Promise<string | undefined>,
  ): Promise<EmulatorFault | undefined> {
    const planned = () => this.#faults.filter((each) => each.accountId === accountId);
    const isBound = planned().some(({ answersTo }) => answersTo !== undefined);
    const message = isBound ? await answered() : undefined;
    const met =
      planned().find(({ answersTo }) => answersTo !== undefined && answersTo === message) ??
      planned().find(({ answersTo }) => answersTo === undefined);
    if (met === undefined) return undefined;
    met.times -= 1;
    if (met.times === 0) this.#faults = this.#faults.filter((each) => each !== met);
    return met.fault;
  }

  add(message: EmulatedMessage): void {
    this.#messages.push(message);
    if (this.#messages.length > keptMax) this.#messages.shift();
  }

  /** Drops what was sent to these addresses. */
  forget(recipients: readonly string[]): void {
    const kept = this.#messages.filter((message) => !recipients.includes(message.recipient));
    this.#messages.splice(0, Infinity, ...kept);
  }

  /** Returns the last `count` of the wanted messages, the oldest first, and how many are kept of them. */
  last(
    { channel, account }: { channel?: ChannelName | undefined; account?: string | undefined },
    count: number,
  ): { total: number; messages: EmulatedMessage[] } {
    const wanted = this.#messages.filter(
      (message) =>
        (channel === undefined || message.channel === channel) &&
        (account === undefined || message.account === account),
    );
    return { total: wanted.length, messages: wanted.slice(-count) };
  }
}
