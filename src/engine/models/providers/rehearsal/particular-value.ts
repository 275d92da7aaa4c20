import { findPlace, findTimeZones } from "./places.ts";
import type { QueryFacts } from "./query-facts.ts";
import type { ToolProperty } from "./tool-property.ts";
import { hasKin, stem, wordsOf } from "./words.ts";

/** A value in a text that fits one property. */
export interface ParticularValue {
  value: unknown;
  /** The words in the text, if they differ from the value. */
  words?: string;
  /** Set if such a value alone indicates the tool: an address, an expression, a statement. */
  telling?: true;
}

/** Takes the value for `property` out of `facts`. */
export function takeParticularValue(property: ToolProperty, facts: QueryFacts): ParticularValue | undefined {
  const { schema, type, name } = property;
  if (schema.const !== undefined) return { value: schema.const };
  if (Array.isArray(schema.enum)) return takeMentioned(property, schema.enum, facts);
  if (type === "number" || type === "integer") return takeNumber(property, facts);
  if (type === "boolean") return namedFlag(name, facts.text);
  if (type !== "string") {
    const at = facts.json.findIndex(
      (value) => type === undefined || Array.isArray(value) === (type === "array"),
    );
    if (at !== -1) return { value: facts.json.splice(at, 1)[0] };
  }
  return type === "string" || type === undefined ? takeText(property, facts) : undefined;
}

function takeText({ words, schema, required }: ToolProperty, facts: QueryFacts): ParticularValue | undefined {
  const about = `${words} ${String(schema.description ?? "")}`;
  if (/\btime ?zone\b|\btz\b|\biana\b/i.test(about)) {
    const [zone] = findTimeZones(facts.text);
    return zone && { value: zone.zone, words: zone.words };
  }
  if (schema.format === "uri" || schema.format === "url" || /\b(url|uri|link|endpoint)\b/.test(words)) {
    return particularValue(facts.urls.shift(), true);
  }
  if (schema.format === "email" || /\be ?mail\b|^(to|recipient|cc|bcc)$/.test(words)) {
    return particularValue(facts.emails.shift());
  }
  if (schema.format === "date" || schema.format === "date-time" || /\bdate\b/.test(words)) {
    return particularValue(facts.dates.shift());
  }
  if (isIdentifier(words)) {
    const code = facts.codes.shift();
    if (code !== undefined) return { value: code };
    const number = required ? facts.numbers.shift() : undefined;
    if (number !== undefined) return { value: String(number) };
  }
  if (/\b(expression|formula|calculation)\b/.test(words))
    return particularValue(findExpression(facts.text), true);
  if (/\bsql\b/i.test(about)) return particularValue(/\bselect\b.*/i.exec(facts.text)?.[0], true);
  const prepositions = placePrepositions(words);
  if (prepositions !== undefined) return particularValue(findPlace(facts.text, prepositions));
  const named = namedText(words, facts);
  return (
    named ??
    (required || /\b(value|content)\b/.test(words) ? particularValue(facts.quotes.shift()) : undefined)
  );
}

const identified =
  "sku|isbn|serial|reference|ref|article|part|product|item|order|invoice|ticket|tracking|booking|case";
const identifier = new RegExp(
  `\\b(?:${identified})(?: (?:id|no|nr|number|code|sku|key|reference|ref))?$|\\bid$|^(?:code|number)$`,
);

/** True for the words of a property whose value identifies something of the caller's: an article, an order. */
export const isIdentifier = (words: string): boolean => identifier.test(words);

function namedText(words: string, facts: QueryFacts): ParticularValue | undefined {
  if (everydayNames.has(words)) return undefined;
  const value = namedValue(words, facts.text) ?? introducedValue(words, facts.text);
  facts.quotes = facts.quotes.filter((quote) => quote !== value);
  return particularValue(value);
}

/** Names too common in sentences to mark the next word as their value. */
const everydayNames = new Set("text query question message content body input data to from".split(" "));

/** The value after a property's name in the text: `key lunch`, `title is "A day"`, `limit: 5`. */
function namedValue(name: string, text: string): string | undefined {
  const words = wordsOf(name).join("[ _-]?");
  if (words === "") return undefined;
  const value = "(?:\"([^\"]+)\"|'([^']+)'|([^\\s\"',;?!]+))";
  const match = new RegExp(
    `\\b${words}(?:\\s*[:=]\\s*|\\s+(?:(?:is|of|to|called|named)\\s+)?)${value}`,
    "iu",
  ).exec(text);
  return firstGroup(match)?.replace(/\.$/, "") || undefined;
}

/** The value after a preposition: `under lunch` for a key, `about the trip` for a subject. */
function introducedValue(words: string, text: string): string | undefined {
  if (/\bkey\b/.test(words))
    return firstGroup(/\b(?:under|as)\s+(?:"([^"]+)"|'([^']+)'|([\w.-]+))/i.exec(text));
  if (/\b(subject|title)\b/.test(words))
    return firstGroup(/\b(?:about|titled|called)\s+(?:"([^"]+)"|'([^']+)'|([^,;.?!]+))/i.exec(text));
  return undefined;
}

function firstGroup(match: RegExpExecArray | null): string | undefined {
  return match?.slice(1).find((group) => group !== undefined);
}

function takeNumber(
  { name, schema, type, required }: ToolProperty,
  facts: QueryFacts,
): ParticularValue | undefined {
  const named = Number(namedValue(name, facts.text));
  const at = facts.numbers.findIndex(
    (value) =>
      (value === named || (required && Number.isNaN(named))) &&
      (type !== "integer" || Number.isInteger(value)) &&
      !(typeof schema.minimum === "number" && value < schema.minimum) &&
      !(typeof schema.maximum === "number" && value > schema.maximum),
  );
  return at === -1 ? undefined : { value: facts.numbers.splice(at, 1)[0] };
}

function namedFlag(name: string, text: string): ParticularValue | undefined {
  const value = namedValue(name, text)?.toLowerCase() ?? "";
  if (/^(true|yes|on)$/.test(value)) return { value: true };
  return /^(false|no|off)$/.test(value) ? { value: false } : undefined;
}

/**
 * The value of an enumeration in the text: the one after the property's name (`to EUR`), else the first that no other property took, else
 * one that means the same as a word of the text (`store` for `set`).
 */
function takeMentioned(
  { name }: ToolProperty,
  values: readonly unknown[],
  facts: QueryFacts,
): ParticularValue | undefined {
  const stems = wordsOf(facts.text).map(stem);
  const present = values
    .map((value) => ({ value, at: positionOf(String(value), stems) }))
    .filter(({ value, at }) => at !== -1 && !facts.taken.has(value))
    .sort((a, b) => a.at - b.at);
  const named = namedValue(name, facts.text)?.toLowerCase();
  const chosen =
    present.find(({ value }) => String(value).toLowerCase() === named) ??
    present[0] ??
    values.map((value) => ({ value })).find(({ value }) => isKin(String(value), stems));
  if (!chosen) return undefined;
  facts.taken.add(chosen.value);
  return { value: chosen.value };
}

function positionOf(value: string, stems: readonly string[]): number {
  const words = wordsOf(value).map(stem);
  return words.every((word) => stems.includes(word)) ? stems.indexOf(words[0] ?? "") : -1;
}

function isKin(value: string, stems: readonly string[]): boolean {
  const [word, ...others] = wordsOf(value).map(stem);
  return word !== undefined && others.length === 0 && hasKin(word, new Set(stems));
}

function placePrepositions(words: string): string | undefined {
  if (/\b(origin|from|departure)\b/.test(words)) return "from|leaving";
  if (/\b(destination|arrival)\b/.test(words)) return "to|towards";
  return /\b(city|location|place|country|town|region)\b/.test(words)
    ? "in|at|for|of|near|around|to"
    : undefined;
}

/** Digits with at least one operator between them. */
function findExpression(text: string): string | undefined {
  const candidates = text.match(/[-(\d][\d\s.+\-*/^%()]*/g) ?? [];
  return candidates
    .map((candidate) => candidate.trim())
    .find((candidate) => /\d\s*[-+*/^%]\s*[(\d]/.test(candidate));
}

function particularValue(value: string | undefined, telling = false): ParticularValue | undefined {
  return value === undefined ? undefined : { value, ...(telling && { telling: true as const }) };
}
