/** Returns the defined values of `query` as the end of a path; empty if there are none. */
export function queryString(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
}

/** Appends the defined values of `query` to the path. */
export const withQuery = (path: string, query: object): string => `${path}${queryString(query)}`;

/** Escapes one segment of a path. `serviceUrl` refuses those that an address can't hold. */
export const segment = (text: string): string => encodeURIComponent(text.toWellFormed());
