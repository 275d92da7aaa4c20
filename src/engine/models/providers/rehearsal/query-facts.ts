/** What a text offers to fill arguments with; what one argument took, the next does not find. */
export interface QueryFacts {
  readonly text: string;
  urls: string[];
  emails: string[];
  /** Between quotes. */
  quotes: string[];
  numbers: number[];
  dates: string[];
  /** Objects and arrays written as JSON. */
  json: unknown[];
}

const textCharsMax = 4000;

export function readFacts(query: string): QueryFacts {
  const text = query.slice(0, textCharsMax);
  const withoutUrls = text.replace(/https?:\/\/\S+/g, " ");
  return {
    text,
    urls: (text.match(/https?:\/\/[^\s"'<>)]+/g) ?? []).map((url) => url.replace(/[.,;!?]+$/, "")),
    emails: text.match(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g) ?? [],
    quotes: Array.from(text.matchAll(/"([^"]+)"|“([^”]+)”|'([^']+)'(?!\w)|`([^`]+)`/g), (match) =>
      String(match.slice(1).find((part) => part !== undefined)),
    ),
    numbers: (withoutUrls.match(/(?<![\w.])-?\d+(?:\.\d+)?(?![\w])/g) ?? []).map(Number),
    dates: text.match(/\b\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2})?)?\b/g) ?? [],
    json: findJson(text),
  };
}

/** Every JSON object or array in the text that parses, outermost only. */
function findJson(text: string): unknown[] {
  const found: unknown[] = [];
  for (let at = 0; at < text.length; at++) {
    const close = text[at] === "{" ? "}" : text[at] === "[" ? "]" : undefined;
    if (close === undefined) continue;
    for (let end = text.lastIndexOf(close); end > at; end = text.lastIndexOf(close, end - 1)) {
      const value = parse(text.slice(at, end + 1));
      if (value === undefined) continue;
      found.push(value);
      at = end;
      break;
    }
    if (found.length === 0 && at > textCharsMax / 4) break;
  }
  return found;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
