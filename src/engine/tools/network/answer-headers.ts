/** What a model can use of an answer's head: cookies and the server's self-portrait are left out. */
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

/** The headers of an answer that a tool's result shows, by their names in lower case. */
export function shownHeaders(headers: Headers): Record<string, string> {
  const picked = [...headers].filter(([name]) => shown.has(name) || /^(?:x-)?ratelimit-?/.test(name));
  return Object.fromEntries(picked.map(([name, value]) => [name, value.slice(0, charsMax)]));
}
