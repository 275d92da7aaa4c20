/** `spec.platform` of runtime.yaml, with its defaults. */
export interface PlatformSettings {
  /** Who may register: everybody, the invited, nobody. */
  registration: "open" | "invite" | "closed";
  runTimeoutMs: number;
  /** Whether runs may call models without a tariff, uncharged. */
  allowUnpriced: boolean;
}
