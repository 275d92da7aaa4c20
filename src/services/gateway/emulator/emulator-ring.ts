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

/** The last messages of emulated accounts, in memory: nothing transports them. */
export class EmulatorRing {
  readonly #messages: EmulatedMessage[] = [];
  /** Faults of the next messages, by channel and account. */
  readonly #faults = new Map<string, EmulatorFault[]>();

  /** Lets the next `times` messages of the account fail. */
  fail(
    { channel, account }: { channel: ChannelName; account: string },
    fault: EmulatorFault,
    times: number,
  ): void {
    this.#faults.set(
      `${channel}:${account}`,
      Array.from({ length: times }, () => fault),
    );
  }

  /** Returns the fault that the account's next message meets, and removes it. */
  takeFault(channel: ChannelName, account: string): EmulatorFault | undefined {
    return this.#faults.get(`${channel}:${account}`)?.shift();
  }

  add(message: EmulatedMessage): void {
    this.#messages.push(message);
    if (this.#messages.length > keptMax) this.#messages.shift();
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
