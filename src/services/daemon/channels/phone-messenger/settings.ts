import type { SenderLimitRule } from "../sender-limit.ts";

/** The operator's settings for the channel `phone_messenger`, WhatsApp's Cloud API. */
export interface PhoneMessengerSettings {
  verifyToken: string;
  accessToken: string;
  phoneNumberId: string;
  /** If undefined, signatures of deliveries are not checked. */
  appSecret: string | undefined;
  /** True if unsigned deliveries are accepted from other machines as well. */
  allowsUnsigned: boolean;
  defaultAgent: string;
  rateLimit: SenderLimitRule;
  /** Includes the API version; has no slash at the end. */
  apiBaseUrl: string;
}
