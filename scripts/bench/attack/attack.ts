/** One request of an attacker. */
export interface Sent {
  method?: string;
  path: string;
  type?: string;
  body?: string;
}

export type SideName = "platform" | "daemon" | "cloud" | "gateway";

/** Requests of one attack, all sent at once. */
export interface Attack {
  name: string;
  /** Made before, and not measured. */
  before?: Sent[];
  sent: Sent[];
  /** The only side that it is for; by default the platform and the daemon. */
  only?: SideName;
}

/** How often an attack sends the same request. */
export const atOnce = 10;
