import type { SenderLimitRule } from "../sender-limit.ts";

/** The channel `phone_messenger`, WhatsApp's Cloud API, as the operator set it up. */
export interface PhoneMessengerSettings {
  verifyToken: string;
  accessToken: string;
  phoneNumberId: string;
  /** Undefined: signatures of deliveries are not checked. */
  appSecret: string | undefined;
  /** Whether unsigned deliveries are taken from outside as well. */
  allowsUnsigned: boolean;
  defaultAgent: string;
  rateLimit: SenderLimitRule;
  /** With the API's version, without a slash at its end. */
  apiBaseUrl: string;
}
