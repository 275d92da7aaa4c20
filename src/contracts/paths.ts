/** Appends the defined values of `query` to the path. */
export function withQuery(path: string, query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === "" ? path : `${path}?${text}`;
}

/** Escapes one segment of a path. */
export const segment = (text: string): string => encodeURIComponent(text);
