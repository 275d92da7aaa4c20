import type { MessageEvent } from "../../../channels/inbound/inbound-event.ts";
import type { AccountRow } from "../accounts/store.ts";

/** A message that an agent is about to answer. */
export interface BegunMessage {
  account: AccountRow;
  event: MessageEvent;
}

/** Marks at the provider, such as that a message was read and an answer is being written. Nothing depends on them. */
export interface MessageMarks {
  /** Returns at once, and never throws. */
  begun(message: BegunMessage): void;
}
