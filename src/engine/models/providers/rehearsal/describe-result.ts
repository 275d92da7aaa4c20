import { isRecord } from "../../../../kit/json/is-record.ts";
import { type Phrases, usualPhrases } from "./phrases.ts";

const itemsMax = 5;
const passagesMax = 3;
const fieldsMax = 8;
const textCharsMax = 600;

/** A tool's result as part of a sentence, for any shape; long results are cut and marked as such. */
export function describeResult(tool: string, content: string, phrases: Phrases = usualPhrases): string {
  const value = parse(content);
  if (isRecord(value) && value.success === false)
    return phrases.failed(tool, asSentence(describe(value.error, 0)));
  const data = isRecord(value) && value.success === true ? value.data : value;
  if (isEmpty(data)) return phrases.foundNothing(tool);
  if (Array.isArray(data) && data.every(isPassage)) return phrases.found(tool, describePassages(data));
  return phrases.answered(tool, asSentence(describe(data, 0)));
}

function describe(value: unknown, depth: number): string {
  if (Array.isArray(value)) return describeList(value, depth);
  if (isRecord(value)) return describeFields(value, depth);
  const text = typeof value === "string" ? value.trim() : String(value);
  return text.length > textCharsMax ? `${text.slice(0, textCharsMax)}…` : text;
}

/** A passage of a document, as tools that search documents return it. */
interface Passage {
  text: string;
  citation: { document_id: string };
}

const isPassage = (value: unknown): value is Passage =>
  isRecord(value) &&
  typeof value.text === "string" &&
  isRecord(value.citation) &&
  typeof value.citation.document_id === "string";

/** What the passages say, each with its document; their places and scores are in the trace. */
function describePassages(passages: readonly Passage[]): string {
  const excerpts = passages
    .slice(0, passagesMax)
    // On one line: quoted Markdown is not part of the answer's own.
    .map(({ text, citation }) => `“${describe(text.replace(/\s+/g, " "), 0)}” (${citation.document_id})`);
  const more = passages.length - excerpts.length;
  return excerpts.join("; ") + (more > 0 ? `; and ${more} more` : "");
}

function describeList(values: readonly unknown[], depth: number): string {
  if (depth > 2) return `${values.length} entries`;
  const descriptions = values.slice(0, itemsMax).map((value) => describe(value, depth + 1));
  const more = values.length - descriptions.length;
  return descriptions.join("; ") + (more > 0 ? `; and ${more} more` : "");
}

function describeFields(value: Record<string, unknown>, depth: number): string {
  const fields = Object.entries(value);
  if (depth > 2) return `${fields.length} fields`;
  const descriptions = fields.slice(0, fieldsMax).map(([key, field]) => {
    const inner = describe(field, depth + 1);
    return `${key.replaceAll("_", " ")} ${typeof field === "object" && field !== null ? `(${inner})` : `is ${inner}`}`;
  });
  const more = fields.length - descriptions.length;
  const last = more > 0 ? `${more} more fields` : descriptions.pop();
  return descriptions.length === 0 ? `${last ?? ""}` : `${descriptions.join(", ")} and ${last}`;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  return Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0;
}

function asSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}
