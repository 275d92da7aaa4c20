/** Headers of an answer that are useful to a model, without cookies and server identification. */
const shown: ReadonlySet<string> = new Set([
  "allow",
  "cache-control",
  "content-disposition",
  "content-language",
  "content-range",
  "content-type",
  "date",
  "etag",
  "expires",
  "last-modified",
  "link",
  "location",
  "retry-after",
  "www-authenticate",
  "x-request-id",
  "x-total-count",
]);

const charsMax = 1024;

/** Headers of an answer for a tool's result, by lower-case name. */
export function shownHeaders(headers: Headers): Record<string, string> {
  const picked = [...headers].filter(([name]) => shown.has(name) || /^(?:x-)?ratelimit-?/.test(name));
  return Object.fromEntries(picked.map(([name, value]) => [name, value.slice(0, charsMax)]));
}
