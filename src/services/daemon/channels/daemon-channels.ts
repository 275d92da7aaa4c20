import type { PhoneMessenger } from "./phone-messenger/phone-messenger.ts";

/** Messaging channels of the daemon; undefined if not configured. */
export interface DaemonChannels {
  phoneMessenger: PhoneMessenger | undefined;
}
