import { isRecord } from "../../kit/json/is-record.ts";
import type { KeywordShape } from "./schema-keywords.ts";
import { stringFormats } from "./string-formats.ts";

const typeNames = ["string", "number", "integer", "boolean", "array", "object", "null"];
const dialect = "https://json-schema.org/draft/2020-12/schema";

const isText = (value: unknown): value is string => typeof value === "string";
const isNumber = (value: unknown): value is number => typeof value === "number";
const isNames = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const isUnique = (values: readonly unknown[]) => new Set(values).size === values.length;

/** The problem with a keyword's value, as the end of a sentence; undefined if there is none. Does not check inner schemas and patterns. */
export const keywordFaults: Record<KeywordShape, (value: unknown) => string | undefined> = {
  schema: (value) =>
    isRecord(value) || typeof value === "boolean" ? undefined : "must be a schema: a mapping, true or false",
  schemas: (value) =>
    Array.isArray(value) && value.length > 0 ? undefined : "must be a list of schemas with at least one",
  "named schemas": (value) => (isRecord(value) ? undefined : "must be a mapping of names to schemas"),
  count: (value) =>
    Number.isSafeInteger(value) && (value as number) >= 0 ? undefined : "must be a whole number, 0 or more",
  number: (value) => (isNumber(value) ? undefined : "must be a number"),
  "positive number": (value) => (isNumber(value) && value > 0 ? undefined : "must be a number above 0"),
  flag: (value) => (typeof value === "boolean" ? undefined : "must be true or false"),
  text: (value) => (isText(value) ? undefined : "must be a text"),
  names: (value) => (isNames(value) && isUnique(value) ? undefined : "must be a list of names, each once"),
  "name lists": (value) =>
    isRecord(value) && Object.values(value).every((names) => isNames(names) && isUnique(names))
      ? undefined
      : "must be a mapping of names to lists of names",
  types(value) {
    const names: unknown[] = Array.isArray(value) ? value : [value];
    const known =
      names.length > 0 && isUnique(names) && names.every((name) => typeNames.includes(String(name)));
    return known ? undefined : `must be one of ${typeNames.join(", ")}, or a list of some of them`;
  },
  values: (value) =>
    Array.isArray(value) && value.length > 0 ? undefined : "must be a list of values with at least one",
  list: (value) => (Array.isArray(value) ? undefined : "must be a list"),
  anything: () => undefined,
  pattern: (value) => (isText(value) ? undefined : "must be a regular expression"),
  format(value) {
    if (isText(value) && Object.hasOwn(stringFormats, value)) return undefined;
    return `must be one of ${Object.keys(stringFormats).join(", ")}; others are not checked here`;
  },
  reference: (value) =>
    isText(value) && (value === "#" || value.startsWith("#/"))
      ? undefined
      : "must point into this schema (`#/$defs/<name>`); nothing is loaded from elsewhere",
  dialect: (value) =>
    isText(value) && value.replace(/#$/, "") === dialect ? undefined : `must be ${dialect}, or be left out`,
};
