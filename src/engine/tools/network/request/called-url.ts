const charsMax = 300;

/** A URL for a proposal, without its query, which may be confidential. */
export function calledUrl(text: string): string {
  const url = URL.parse(text);
  return (url === null ? text : `${url.origin}${url.pathname}`).slice(0, charsMax).toWellFormed();
}
