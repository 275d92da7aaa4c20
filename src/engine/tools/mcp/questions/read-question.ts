import { faultOf, textCharactersMax } from "../../../../contracts/daemon/questions/check-answer.ts";
import type {
  FieldFormat,
  FieldValue,
  Question,
  QuestionField,
} from "../../../../contracts/daemon/questions/question.ts";
import { isRecord } from "../../../../kit/json/is-record.ts";
import { isSecretName } from "../../../../kit/secrets/redact-text.ts";
import { visibleText } from "../../../../kit/text/visible-text.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Questions of one answer of a server. */
const questionsMax = 5;
const keyCharactersMax = 256;
const fieldFormats: readonly FieldFormat[] = ["email", "uri", "date", "date-time"];
const messageCharactersMax = 4096;
const fieldsMax = 32;
const optionsMax = 100;
const labelCharactersMax = 500;
const nameCharactersMax = 64;
const urlCharactersMax = 2048;

/** What a server asks, or why it can't be asked. */
type ReadQuestion = { question: Question } | { fault: string };

/** Reads the requests of a call by the server's keys. One that a person can't answer refuses all. */
export function readQuestions(
  server: string,
  requests: Fields,
): { questions: Record<string, Question> } | { fault: string } {
  const entries = Object.entries(requests);
  if (entries.length > questionsMax) return { fault: `it asks more than ${questionsMax} questions at once` };
  const questions: [string, Question][] = [];
  for (const [key, request] of entries) {
    const read =
      key.length > keyCharactersMax
        ? { fault: "its question has too long a key" }
        : readQuestion(server, request);
    if ("fault" in read) return read;
    questions.push([key, read.question]);
  }
  return { questions: Object.fromEntries(questions) };
}

/** Reads an `elicitation/create` request of a server (MCP 2026-07-28 and 2025-11-25, "Elicitation"). */
function readQuestion(server: string, request: unknown): ReadQuestion {
  if (!isRecord(request)) return { fault: "it asks in no known form" };
  if (request.method !== "elicitation/create")
    return { fault: `it asks for ${shortly(request.method)}, which Argosy does not offer` };
  const params = isRecord(request.params) ? request.params : {};
  const { mode = "form", message } = params;
  if (typeof message !== "string" || message.trim() === "") return { fault: "its question has no message" };
  if (message.length > messageCharactersMax)
    return { fault: `its question has more than ${messageCharactersMax} characters` };
  const said = { server, message: visibleText(message) };
  if (mode === "url") return readLink(said, params.url);
  if (mode !== "form") return { fault: `its question has the unknown mode ${shortly(mode)}` };
  const fields = readFields(params.requestedSchema);
  if (typeof fields === "string") return { fault: `its form ${fields}` };
  const secret = fields.find(({ name, title = "" }) => asksForSecret(name) || asksForSecret(title));
  return { question: { ...said, fields, ...(secret && { warning: secretWarning(server, secret) }) } };
}

function readLink(said: Pick<Question, "server" | "message">, url: unknown): ReadQuestion {
  if (typeof url !== "string" || url.length > urlCharactersMax || !URL.canParse(url))
    return { fault: "its question has no usable address" };
  const { protocol, username, password, href, hostname } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:")
    return { fault: `its question has an address with ${shortly(protocol)}` };
  if (username !== "" || password !== "") return { fault: "its question has an address with a password" };
  const warning = `${said.server} wants you to open a page of ${hostname}. Argosy did not look at it.`;
  return { question: { ...said, url: href, warning } };
}

/** The fields of a form, or what is wrong with it. */
function readFields(schema: unknown): QuestionField[] | string {
  if (!isRecord(schema) || schema.type !== "object") return "has no schema of type object";
  const { properties = {}, required = [] } = schema;
  if (!isRecord(properties)) return "has no properties";
  const entries = Object.entries(properties);
  if (entries.length > fieldsMax) return `has more than ${fieldsMax} fields`;
  const wanted: readonly unknown[] = Array.isArray(required) ? required : [];
  const fields: QuestionField[] = [];
  for (const [name, property] of entries) {
    if (name === "" || name.length > nameCharactersMax || name === "__proto__" || visibleText(name) !== name)
      return `has a field with the name ${shortly(name)}`;
    const field = isRecord(property) ? readField(name, property, wanted.includes(name)) : "is no schema";
    if (typeof field === "string") return `has the field ${shortly(name)}, which ${field}`;
    fields.push(field);
  }
  for (const name of wanted.slice(0, fieldsMax + 1))
    if (typeof name !== "string" || !Object.hasOwn(properties, name))
      return `requires ${shortly(name)}, which is no field`;
  return fields;
}

function readField(name: string, property: Fields, required: boolean): QuestionField | string {
  const { title, description } = property;
  const about = { name, required, ...labelled("title", title), ...labelled("description", description) };
  const kind = kindOf(property);
  if (typeof kind === "string") return kind;
  const field: QuestionField = { ...about, ...kind };
  if (field.min !== undefined && field.max !== undefined && field.min > field.max)
    return "has limits that no value fits";
  const preset = property.default;
  // A default that doesn't fit is the server's slip: the person enters a value.
  return isValue(preset) && faultOf(field, preset) === undefined ? { ...field, default: preset } : field;
}

type Kind = Pick<QuestionField, "type" | "format" | "min" | "max" | "options">;

function kindOf(property: Fields): Kind | string {
  const { type } = property;
  switch (type) {
    case "boolean":
      return { type };
    case "number":
    case "integer":
      return { type, ...limits(property.minimum, property.maximum, Number.isFinite) };
    case "string": {
      const options = optionsIn(property);
      if (typeof options === "string") return options;
      if (options !== undefined) return { type: "choice", options };
      const format = fieldFormats.find((one) => one === property.format);
      if (property.format !== undefined && format === undefined)
        return `has the unknown format ${shortly(property.format)}`;
      const within = limits(property.minLength, property.maxLength, isCount);
      if ((within.min ?? 0) > textCharactersMax) return `needs more than ${textCharactersMax} characters`;
      return { type, ...(format && { format }), ...within };
    }
    case "array": {
      const options = isRecord(property.items) ? optionsIn(property.items) : undefined;
      if (typeof options === "string") return options;
      if (options === undefined) return "is a list of something else than options";
      return { type: "choices", options, ...limits(property.minItems, property.maxItems, isCount) };
    }
    default:
      return `has the type ${shortly(type)}; a form has texts, numbers, booleans and options`;
  }
}

/** The options of a choice in any of the forms that servers write; undefined if there are none, or what is wrong with them. */
function optionsIn({
  enum: values,
  enumNames,
  oneOf,
  anyOf,
}: Fields): NonNullable<QuestionField["options"]> | string | undefined {
  const titled = oneOf ?? anyOf;
  const listed = values ?? titled;
  if (listed === undefined) return undefined;
  if (!Array.isArray(listed) || listed.length === 0) return "has no options";
  if (listed.length > optionsMax) return `has more than ${optionsMax} options`;
  const names: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
  const options: NonNullable<QuestionField["options"]> = [];
  for (const [index, one] of listed.entries()) {
    const value: unknown = values === undefined && isRecord(one) ? one.const : one;
    const title: unknown = values === undefined && isRecord(one) ? one.title : names[index];
    if (typeof value !== "string" || value.length > labelCharactersMax)
      return "has an option that is no short text";
    if (options.some((other) => other.value === value)) return `has the option ${shortly(value)} twice`;
    options.push({ value, ...labelled("title", title) });
  }
  return options;
}

function labelled<Key extends string>(key: Key, text: unknown): { [K in Key]?: string } {
  if (typeof text !== "string" || text.trim() === "") return {};
  return { [key]: visibleText(text).slice(0, labelCharactersMax).toWellFormed() } as { [K in Key]?: string };
}

function limits(min: unknown, max: unknown, isLimit: (value: number) => boolean): Pick<Kind, "min" | "max"> {
  return {
    ...(typeof min === "number" && isLimit(min) && { min }),
    ...(typeof max === "number" && isLimit(max) && { max }),
  };
}

const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;

const isValue = (value: unknown): value is FieldValue =>
  ["string", "number", "boolean"].includes(typeof value) ||
  (Array.isArray(value) && value.every((one) => typeof one === "string"));

const moreSecrets =
  /\b(?:cvv|cvc|pin|ssn|iban|card[ _-]?number|credit[ _-]?card|seed[ _-]?phrase|recovery[ _-]?(?:code|phrase)|one[ _-]?time[ _-]?(?:code|password)|api[ _-]?key)\b/i;

/** True if a field's name or title says that its value is a secret; names are in words, in camel case or with dashes. */
function asksForSecret(name: string): boolean {
  const words = name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]/g, " ")
    .trim();
  return words.length > 0 && (isSecretName(name.trim()) || isSecretName(words) || moreSecrets.test(words));
}

const secretWarning = (server: string, { name, title = name }: QuestionField) =>
  `${server} asks for ${JSON.stringify(title)}, which looks like a secret. A server may not ask for secrets in a form: decline unless you are sure.`;

/** A value of the server for an error, cut. */
function shortly(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
  return JSON.stringify(visibleText(text.slice(0, 40)));
}
