/** Who may register: everybody, the invited, nobody. */
export type Registration = "open" | "invite" | "closed";

/** The rule for people on this machine, and the one for requests that come from beyond it. */
export interface RegistrationRule {
  here: Registration;
  beyond: Registration;
}

/** `spec.platform` of runtime.yaml, with its defaults. */
export interface PlatformSettings {
  registration: RegistrationRule;
  runTimeoutMs: number;
  /** Whether runs may call models without a tariff, uncharged. */
  allowUnpriced: boolean;
}
