interface MediaRange {
  range: string;
  weight: number;
}

const headerCharsMax = 4096;

/**
 * Tells whether a client wants `text/event-stream` rather than JSON (RFC 9110, section 12.5.1). A wildcard leaves the choice
 * to the server, which is JSON; at equal weights a client that names the stream gets it.
 */
export function wantsEventStream(headers: Headers): boolean {
  const ranges = readAccept(headers.get("accept"));
  const stream = weightOf(ranges, "text/event-stream");
  const json = weightOf(ranges, "application/json");
  if (stream.weight === 0 || stream.weight < json.weight) return false;
  return stream.weight > json.weight || stream.precision > json.precision || stream.precision === 2;
}

/** The weight of the most precise range that a type falls under: 2 names it, 1 its family, 0 everything, -1 none does. */
function weightOf(ranges: readonly MediaRange[], type: string): { weight: number; precision: number } {
  const family = `${type.slice(0, type.indexOf("/"))}/*`;
  for (const [precision, wanted] of [[2, type] as const, [1, family] as const, [0, "*/*"] as const]) {
    const weights = ranges.filter(({ range }) => range === wanted).map(({ weight }) => weight);
    if (weights.length > 0) return { weight: Math.max(...weights), precision };
  }
  return { weight: 0, precision: -1 };
}

/** The ranges of an `Accept` header; those that are no media ranges are passed over. */
function readAccept(header: string | null): MediaRange[] {
  return (header ?? "")
    .slice(0, headerCharsMax)
    .split(",")
    .flatMap((part) => {
      const [range = "", ...parameters] = part.split(";").map((piece) => piece.trim().toLowerCase());
      if (!/^[\w.+*-]+\/[\w.+*-]+$/.test(range)) return [];
      const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
      return { range, weight: weight === undefined ? 1 : readWeight(weight.replace(/^q\s*=\s*/, "")) };
    });
}

/** 0 to 1 with three decimals at most; anything else counts as 0, since nobody asked for it in earnest. */
function readWeight(text: string): number {
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}
