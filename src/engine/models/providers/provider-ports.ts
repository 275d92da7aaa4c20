import type { Clock } from "../../../kit/clock.ts";
import type { NewId } from "../../../kit/id.ts";

/** The network as a provider sees it: `fetch`, behind whichever door for trusted endpoints the caller chose. */
export type ProviderFetch = (url: string, init: RequestInit) => Promise<Response>;

/** What a provider's builder gets besides its options. */
export interface ProviderPorts {
  fetch: ProviderFetch;
  clock: Clock;
  newId: NewId;
}
