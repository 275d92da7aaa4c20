import type { Breakers, SharedBreakers } from "./breakers.ts";

/** One caller among many, such as a tenant, and the person or paying party behind it. */
export interface BreakerCaller {
  account: string;
  /** Asked at each call, because it may change. */
  owner: () => string;
}

/** The breakers for one caller: its own for servers that it alone uses (`account`), and its owner's view of the shared ones. */
export function callerBreakers(
  { account, owner }: BreakerCaller,
  { shared, own }: { shared: SharedBreakers; own: Breakers },
): Breakers {
  const seen = shared.for(owner);
  return {
    of: (key) => (key.account === account ? own : seen).of(key),
    list: () => seen.list(),
    forget(endpoint) {
      seen.forget(endpoint);
      own.forget(endpoint);
    },
  };
}
