/** Spells a host as in URLs and `Host` headers: IPv6 addresses in brackets. */
export const urlHost = (host: string): string => (host.includes(":") ? `[${host}]` : host);
