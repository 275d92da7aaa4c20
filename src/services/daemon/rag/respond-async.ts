/** Returns true if the caller requests an answer before the work is done (RFC 7240). */
export function prefersAsync(headers: Headers): boolean {
  const preferences = headers.get("prefer") ?? "";
  return preferences.split(",").some((one) => /^\s*respond-async\s*(?:;|$)/i.test(one));
}
