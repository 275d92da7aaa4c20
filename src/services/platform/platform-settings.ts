/** `spec.platform` of runtime.yaml, with its defaults. */
export interface PlatformSettings {
  /** Who may register: everybody, the invited, nobody. */
  registration: "open" | "invite" | "closed";
  runTimeoutMs: number;
}
