import { isRecord } from "../../../../kit/json/is-record.ts";
import { isIdentifier, takeParticularValue } from "./particular-value.ts";
import type { QueryFacts } from "./query-facts.ts";
import { propertiesOf, type ToolProperty } from "./tool-property.ts";
import { stemsOf } from "./words.ts";

/** A tool's arguments found in a text. */
export interface Filled {
  input: Record<string, unknown>;
  /** Required properties without a value in the text. */
  missing: string[];
  /** Stems of the words used as particular arguments. They count as explained, whatever the tool's name. */
  evidence: Set<string>;
  /** True if an argument alone indicates this tool. */
  telling: boolean;
}

/** Fills the properties of `schema` from `facts`: particular values first, and last the text itself for a required free text. */
export function fillArguments(schema: Record<string, unknown>, facts: QueryFacts): Filled {
  const filled: Filled = { input: {}, missing: [], evidence: new Set(), telling: false };
  const left = structuredClone(facts);
  const properties = propertiesOf(schema);
  for (const property of properties) {
    const particular = takeParticularValue(property, left);
    if (particular === undefined) continue;
    filled.input[property.name] = particular.value;
    filled.telling ||= particular.telling ?? false;
    for (const word of stemsOf(particular.words ?? String(particular.value))) filled.evidence.add(word);
  }
  const open = properties.filter(({ name, required }) => required && !Object.hasOwn(filled.input, name));
  const isOnlyText =
    open.filter(({ type, schema: { enum: values } }) => type === "string" && !values).length === 1;
  for (const property of open) {
    const value = generalValue(property, left, isOnlyText);
    if (value === undefined) filled.missing.push(property.name);
    else filled.input[property.name] = value;
  }
  return filled;
}

/** A value for a required property that the text does not mention: a default, a harmless value, or the text itself. */
function generalValue(
  { words, schema, type }: ToolProperty,
  facts: QueryFacts,
  isOnlyText: boolean,
): unknown {
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.enum)) {
    return schema.enum.find((value) => /^(get|read|list|search|show)$/i.test(String(value)));
  }
  if (type === "boolean") return false;
  if (type === "array") {
    const takesStrings = isRecord(schema.items) && schema.items.type === "string";
    if (!takesStrings) return undefined;
    return facts.quotes.length > 0 ? facts.quotes : [subjectOf(facts.text)];
  }
  if (type !== "string" || schema.format !== undefined || particularNames.test(words) || isIdentifier(words))
    return undefined;
  if (/\b(query|topic|term|keyword|search|q)\b/.test(words)) return subjectOf(facts.text);
  const isFreeText = /\b(text|question|message|content|body|input|prompt|request|task|document)\b/.test(
    words,
  );
  return isFreeText || isOnlyText ? afterColon(facts.text) : undefined;
}

/** Names of properties whose value can't be a sentence. */
const particularNames =
  /\b(url|uri|link|endpoint|e ?mail|to|path|key|id|template|expression|formula|code|sql|encoding|city|date)\b/;

/** The subject of a sentence: the first sentence without the words of the question. */
function subjectOf(text: string): string {
  const subject = text
    .replace(/^(?:please|can you|could you|would you|i want to|i would like to)\s+/i, "")
    .replace(
      /^(?:search(?: the)?(?: web| internet| documents?)?(?: for)?|look up|find(?: out)?(?: about)?|tell me about|what (?:is|are)|what's|who (?:is|was)|explain|define)\s+/i,
      "",
    )
    .split(/[.?!](?:\s|$)/, 1)[0];
  return subject?.trim() || text;
}

/** The text after a colon, as in "summarize this: …", or the whole text. */
function afterColon(text: string): string {
  return /:\s+(\S.*)$/.exec(text)?.[1] ?? text;
}
