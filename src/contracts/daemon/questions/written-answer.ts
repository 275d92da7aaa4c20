import { faultOf } from "./check-answer.ts";
import type { Answer, FieldValue, Question, QuestionField } from "./question.ts";

/** What a person's message means for a question: values, a refusal, or why it is not an answer. */
export type WrittenAnswer = { answer: Answer } | { declines: true } | { faults: string[] };

const declines = /^(?:no|decline|cancel|stop|nein|rechazar)[.!]?$/i;
const accepts = /^(?:yes|ok|okay|accept|done|ja|s[ií])[.!]?$/i;

/**
 * Reads an answer that a person writes as text, as in a chat: one line for each field, in order or with the field's name before a colon. A
 * form with one field takes the whole text. "no" and the like decline, unless they are a value of the only field.
 */
export function readWrittenAnswer({ fields }: Question, text: string): WrittenAnswer {
  const said = text.trim();
  if (declines.test(said) && !isValueOfOnly(fields, said)) return { declines: true };
  if (fields === undefined || fields.length === 0)
    return accepts.test(said) ? { answer: {} } : { faults: ["Answer yes or no."] };
  const answer: Answer = {};
  const faults: string[] = [];
  for (const [field, line] of linesByField(fields, said)) {
    if (line === "" || line === "-") {
      if (field.required) faults.push(`${nameOf(field)} is required.`);
      continue;
    }
    const value = valueIn(field, line);
    const fault = faultOf(field, value);
    if (fault === undefined) answer[field.name] = value;
    else faults.push(`${nameOf(field)} ${fault}.`);
  }
  return faults.length > 0 ? { faults } : { answer };
}

function isValueOfOnly(fields: Question["fields"], said: string): boolean {
  const [only] = fields ?? [];
  if (only === undefined || fields?.length !== 1) return false;
  if (only.type === "boolean") return !/^(?:decline|cancel)[.!]?$/i.test(said);
  const wanted = said.toLowerCase();
  return (only.options ?? []).some(
    ({ value, title }) => value.toLowerCase() === wanted || title?.toLowerCase() === wanted,
  );
}

function linesByField(fields: readonly QuestionField[], text: string): [QuestionField, string][] {
  const [only] = fields;
  if (only !== undefined && fields.length === 1) return [[only, text]];
  const lines = text.split("\n").map((line) => line.trim());
  const named = new Map<QuestionField, string>();
  const unnamed: string[] = [];
  for (const line of lines) {
    const [, name = "", rest = ""] = /^([^:]{1,80}):(.*)$/s.exec(line) ?? [];
    const wanted = name.trim().toLowerCase();
    const field = fields.find(
      (one) => wanted !== "" && [one.name, one.title ?? ""].some((own) => own.toLowerCase() === wanted),
    );
    if (field === undefined || named.has(field)) unnamed.push(line);
    else named.set(field, rest.trim());
  }
  return fields.map((field) => [field, named.get(field) ?? unnamed.shift() ?? ""]);
}

/** The value as its field has it; a text that is none is refused by `faultOf`. */
export function valueIn({ type, options = [] }: QuestionField, text: string): FieldValue {
  switch (type) {
    case "boolean":
      if (accepts.test(text) || /^true$/i.test(text)) return true;
      return declines.test(text) || /^false$/i.test(text) ? false : text;
    case "number":
    case "integer":
      return /^[+-]?\d[\d.eE+-]*$/.test(text) && Number.isFinite(Number(text)) ? Number(text) : text;
    case "string":
      return text;
    case "choice":
      return optionOf(options, text);
    case "choices":
      return text.split(",").map((part) => optionOf(options, part.trim()));
  }
}

/** An option by its value, its title, or its number in the list. */
function optionOf(options: NonNullable<QuestionField["options"]>, text: string): string {
  const wanted = text.toLowerCase();
  const found =
    options.find(({ value }) => value === text) ??
    options.find(({ value, title }) => value.toLowerCase() === wanted || title?.toLowerCase() === wanted) ??
    options[/^\d{1,3}$/.test(text) ? Number(text) - 1 : -1];
  return found?.value ?? text;
}

/** The question as lines for a person who answers in words. */
export function questionLines({ server, message, fields, url, warning }: Question): string[] {
  const lines = [`${server} asks: ${message}`];
  if (warning !== undefined) lines.push(warning);
  if (url !== undefined)
    lines.push(`Open ${url} yourself if you trust ${server}. Then answer yes, or no to decline.`);
  else if (fields === undefined || fields.length === 0) lines.push("Answer yes, or no to decline.");
  else {
    for (const field of fields) lines.push(`- ${fieldLine(field)}`);
    lines.push(
      fields.length === 1
        ? 'Answer with the value, or "decline".'
        : 'Answer with one line for each, in this order, "-" for nothing; or "decline".',
    );
  }
  return lines;
}

/** Name, kind and limits of a field in words. */
export function fieldLine(field: QuestionField): string {
  const { description, required, type, format, options } = field;
  const kind =
    options === undefined
      ? (format ??
        { string: "text", integer: "whole number" }[type as string] ??
        (type === "boolean" ? "yes or no" : type))
      : `${type === "choices" ? "some of, with commas" : "one of"}: ${options.map(({ value, title }) => title ?? value).join(", ")}`;
  return `${nameOf(field)} (${kind}${required ? "" : ", optional"})${description === undefined ? "" : `: ${description}`}`;
}

const nameOf = ({ name, title }: QuestionField) => title ?? name;
