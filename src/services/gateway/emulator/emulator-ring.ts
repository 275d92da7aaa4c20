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

/** The last messages of emulated accounts, in memory: nothing transports them. */
export class EmulatorRing {
  readonly #messages: EmulatedMessage[] = [];

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
