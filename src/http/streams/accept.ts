interface MediaRange {
  range: string;
  weight: number;
}

const headerCharsMax = 4096;

/**
 * Returns true if a client prefers `text/event-stream` to JSON (RFC 9110, section 12.5.1). For a wildcard, the server chooses JSON. At
 * equal weights, a client that names the stream gets it.
 */
export function wantsEventStream(headers: Headers): boolean {
  const accept = headers.get("accept");
  if (accept === null || accept === "*/*") return false;
  const ranges = readAccept(accept);
  const stream = weightOf(ranges, "text/event-stream");
  const json = weightOf(ranges, "application/json");
  if (stream.weight === 0 || stream.weight < json.weight) return false;
  return stream.weight > json.weight || stream.precision > json.precision || stream.precision === 2;
}

/**
 * Returns the weight of the most precise range that matches a type. Precision: 2 names the type, 1 its family, 0 everything, -1 no match.
 */
function weightOf(ranges: readonly MediaRange[], type: string): { weight: number; precision: number } {
  const family = `${type.slice(0, type.indexOf("/"))}/*`;
  for (const [precision, wanted] of [[2, type] as const, [1, family] as const, [0, "*/*"] as const]) {
    const weights = ranges.filter(({ range }) => range === wanted).map(({ weight }) => weight);
    if (weights.length > 0) return { weight: Math.max(...weights), precision };
  }
  return { weight: 0, precision: -1 };
}

/** Parses the ranges of an `Accept` header; entries that are not media ranges are ignored. */
function readAccept(header: string): MediaRange[] {
  return header
    .slice(0, headerCharsMax)
    .split(",")
    .flatMap((part) => {
      const [range = "", ...parameters] = part.split(";").map((piece) => piece.trim().toLowerCase());
      if (!/^[\w.+*-]+\/[\w.+*-]+$/.test(range)) return [];
      const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
      return { range, weight: weight === undefined ? 1 : readWeight(weight.replace(/^q\s*=\s*/, "")) };
    });
}

/** Parses a weight: 0 to 1 with at most three decimals. Anything else counts as 0. */
function readWeight(text: string): number {
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}
