/** Returns the host of `host:port`, without the brackets of IPv6. */
export const hostOf = (address: string): string =>
  address.slice(0, address.lastIndexOf(":")).replace(/^\[(.*)\]$/, "$1");
