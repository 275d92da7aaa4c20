import type { PhoneMessenger } from "./phone-messenger/phone-messenger.ts";

/** The messaging channels of the daemon; undefined: not configured. */
export interface DaemonChannels {
  phoneMessenger: PhoneMessenger | undefined;
}
