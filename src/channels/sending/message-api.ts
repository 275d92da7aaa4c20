import type { Sender } from "../delivery.ts";

export interface OutgoingText {
  recipient: Sender;
  /** 1 to `textCharsMax` characters. */
  text: string;
  /** Returned with each status of the message. */
  token: string;
}

/** Provider API that sends the messages of one account. */
export interface MessageApi {
  /** Maximum length of one message. */
  textCharsMax: number;
  /** Makes one attempt. Only its own time limit ends it early, because a sent message can't be recalled. */
  sendText(message: OutgoingText): Promise<SendOutcome>;
  /** Decides about a message that the provider accepted at first and then failed with `code`; undefined for an unknown code. */
  outcomeOfCode(code: number): SendOutcome | undefined;
}

/** Rules for repeating a failed attempt. */
export interface RetryPlan {
  /** Attempts after the first. */
  retriesMax: number;
  /** Delays before the first retry, the second, and so on; the last one repeats. */
  delaysMs: readonly number[];
  /** True if all messages of the account must wait, not only this conversation. */
  isAccountWide: boolean;
  /** True if the operator must be alerted. */
  alerts: boolean;
}

/** Result of an attempt to send; `code` is the provider's error code or one of our own words. */
export type SendOutcome =
  /** `providerId` is absent if only a status tells that it was sent. */
  | { action: "sent"; providerId?: string }
  | ({ action: "retry"; code: string; retryAfterMs: number | undefined } & RetryPlan)
  /** Would have to wait for hours. */
  | { action: "late"; code: string }
  /** The provider will never accept this message. */
  | { action: "final"; code: string }
  /** The provider accepts nothing from this account until its operator fixes the cause. */
  | { action: "account"; code: string }
  /** The provider may have accepted it. */
  | { action: "ambiguous"; code: string };
