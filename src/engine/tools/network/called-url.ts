const charsMax = 300;

/** A URL as a proposal names it: without its query, which may hold what is nobody's business. */
export function calledUrl(text: string): string {
  const url = URL.parse(text);
  return (url === null ? text : `${url.origin}${url.pathname}`).slice(0, charsMax).toWellFormed();
}
