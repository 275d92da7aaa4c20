/** Rule for registration: open to all, by invitation, or closed. */
export type Registration = "open" | "invite" | "closed";

/** Rules for people on this machine and for requests from other machines. */
export interface RegistrationRule {
  here: Registration;
  beyond: Registration;
}

/** `spec.platform` of runtime.yaml, with defaults applied. */
export interface PlatformSettings {
  registration: RegistrationRule;
  runTimeoutMs: number;
  /** True if runs may call models without a tariff, without a charge. */
  allowUnpriced: boolean;
}
