import { isLocalhostName } from "./host-name.ts";
import { isOpened, type OpenedNetworks } from "./opened-networks.ts";
import { urlFault, vetUrl } from "./vet-url.ts";

/**
 * Reason why an address is refused, as far as its text shows. Returns `closed` for an address of this machine or of a private network that
 * isn't opened. A name that resolves to a closed address is refused by the call.
 */
export function addressFault(text: string, opened: OpenedNetworks, closed: string): string | undefined {
  const fault = urlFault(text);
  if (fault !== undefined) return fault;
  const { host, address } = vetUrl(text);
  if (address === undefined) {
    const isClosed = isLocalhostName(host) && !opened.hosts.has(host);
    return isClosed ? closed : undefined;
  }
  return address.kind === "public" || isOpened(opened, host, address) ? undefined : closed;
}
