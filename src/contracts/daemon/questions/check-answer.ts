import { AppError, type Problem } from "../../../kit/app-error.ts";
import type { Answer, FieldValue, Question, QuestionField } from "./question.ts";

/** Longest text of a field without a limit of its own, in characters. */
export const textCharactersMax = 4096;

/** A person's decision as the API takes it. */
interface Given {
  answer?: Answer | undefined;
  cancel?: boolean | undefined;
}

/**
 * Checks that a decision fits what is asked: an accepted form needs all its values, and a call without a question takes none. Returns the
 * accepted values. Throws AppError `invalid_request` with the problem of each field.
 */
export function checkDecision(
  verdict: "approved" | "rejected",
  { answer, cancel }: Given,
  question: Question | undefined,
): { answer?: Answer; cancel?: true } {
  if (verdict === "rejected" || question === undefined || question.fields === undefined) {
    if (answer !== undefined && Object.keys(answer).length > 0)
      throw refused([{ path: "answer", message: unwanted(verdict, question) }]);
    if (cancel === true && (verdict === "approved" || question === undefined))
      throw refused([{ path: "cancel", message: "is only for rejecting a question of a server" }]);
    if (verdict === "rejected") return cancel === true ? { cancel: true } : {};
    return question === undefined ? {} : { answer: {} };
  }
  if (cancel === true)
    throw refused([{ path: "cancel", message: "is only for rejecting a question of a server" }]);
  const problems = problemsOf(question.fields, answer ?? {});
  if (problems.length > 0) throw refused(problems);
  return { answer: answer ?? {} };
}

function unwanted(verdict: "approved" | "rejected", question: Question | undefined): string {
  if (question === undefined) return "is only for questions of a server; this is a call";
  return verdict === "rejected" ? "can't go with a rejection" : "can't be given: the question has no form";
}

function refused(problems: Problem[]): AppError {
  const [first] = problems;
  return new AppError("invalid", "invalid_request", `${first?.path} ${first?.message}.`, {
    details: { problems },
  });
}

/** Returns what is wrong with the values of a form. */
export function problemsOf(fields: readonly QuestionField[], answer: Answer): Problem[] {
  const problems: Problem[] = [];
  const known = new Set(fields.map(({ name }) => name));
  for (const name of Object.keys(answer))
    if (!known.has(name))
      problems.push({ path: `answer.${name}`, message: "is not a field of the question" });
  for (const field of fields) {
    const value = Object.hasOwn(answer, field.name) ? answer[field.name] : undefined;
    const message =
      value === undefined ? (field.required ? "is required" : undefined) : faultOf(field, value);
    if (message !== undefined) problems.push({ path: `answer.${field.name}`, message });
  }
  return problems;
}

/** Returns why a value doesn't fit its field; undefined if it does. */
export function faultOf(field: QuestionField, value: FieldValue): string | undefined {
  switch (field.type) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false";
    case "number":
    case "integer":
      return numberFault(field, value);
    case "string":
      return textFault(field, value);
    case "choice":
      return typeof value === "string" && isOption(field, value)
        ? undefined
        : `must be one of ${optionsOf(field)}`;
    case "choices":
      return choicesFault(field, value);
  }
}

function numberFault({ type, min, max }: QuestionField, value: FieldValue): string | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return "must be a number";
  if (type === "integer" && !Number.isSafeInteger(value)) return "must be a whole number";
  if (min !== undefined && value < min) return `must be at least ${min}`;
  return max !== undefined && value > max ? `must be at most ${max}` : undefined;
}

function textFault(
  { format, min, max = textCharactersMax }: QuestionField,
  value: FieldValue,
): string | undefined {
  if (typeof value !== "string") return "must be a text";
  const { length } = Array.from(value.slice(0, 2 * textCharactersMax + 1));
  if (min !== undefined && length < min) return `must have at least ${min} characters`;
  if (length > Math.min(max, textCharactersMax))
    return `can have at most ${Math.min(max, textCharactersMax)} characters`;
  return format === undefined || fits(format, value) ? undefined : expected[format];
}

const expected = {
  email: "must be an email address",
  uri: "must be an address with its scheme, such as https://example.org",
  date: "must be a date such as 2026-07-28",
  "date-time": "must be a date with time and zone, such as 2026-07-28T09:30:00Z",
} as const;

function fits(format: NonNullable<QuestionField["format"]>, value: string): boolean {
  switch (format) {
    case "email":
      return /^[^\s@]{1,64}@[^\s@.]{1,63}(?:\.[^\s@.]{1,63}){1,8}$/.test(value);
    case "uri":
      return /^[a-z][a-z0-9+.-]{0,31}:\S/i.test(value) && URL.canParse(value);
    case "date":
      return isDate(value);
    case "date-time":
      return (
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i.test(value) &&
        isDate(value.slice(0, 10)) &&
        !Number.isNaN(Date.parse(value))
      );
  }
}

function isDate(value: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const at = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(value);
}

function choicesFault(field: QuestionField, value: FieldValue): string | undefined {
  const { min, max } = field;
  if (!Array.isArray(value)) return "must be a list";
  if (value.length !== new Set(value).size) return "can't have an option twice";
  if (!value.every((one) => isOption(field, one))) return `must have only ${optionsOf(field)}`;
  if (min !== undefined && value.length < min) return `must have at least ${min} options`;
  return max !== undefined && value.length > max ? `can have at most ${max} options` : undefined;
}

const isOption = ({ options = [] }: QuestionField, value: string) =>
  options.some((one) => one.value === value);

const optionsOf = ({ options = [] }: QuestionField) => options.map(({ value }) => value).join(", ");

/** JSON Schema of an accepted answer, for protocols that describe it so. */
export function answerSchema({ fields = [] }: Question): Record<string, unknown> {
  return {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)])),
    required: fields.flatMap(({ name, required }) => (required ? [name] : [])),
    additionalProperties: false,
  };
}

function schemaOf({
  type,
  title,
  description,
  format,
  min,
  max,
  options = [],
  default: preset,
}: QuestionField): object {
  const about = {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(preset !== undefined && { default: preset }),
  };
  const limits = (least: string, most: string) => ({
    ...(min !== undefined && { [least]: min }),
    ...(max !== undefined && { [most]: max }),
  });
  const values = options.map(({ value, title: shown = value }) => ({ const: value, title: shown }));
  switch (type) {
    case "string":
      return { type, ...about, ...(format !== undefined && { format }), ...limits("minLength", "maxLength") };
    case "number":
    case "integer":
      return { type, ...about, ...limits("minimum", "maximum") };
    case "boolean":
      return { type, ...about };
    case "choice":
      return { type: "string", ...about, oneOf: values };
    case "choices":
      return { type: "array", ...about, items: { anyOf: values }, ...limits("minItems", "maxItems") };
  }
}
