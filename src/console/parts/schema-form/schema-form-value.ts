import { UnreadableNumber } from "../inputs/number-entry.ts";

/** The JSON Schema keywords that a form supports; the server checks the others. */
export interface FormSchema {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  properties?: Record<string, FormSchema>;
  required?: string[];
  items?: FormSchema;
  additionalProperties?: boolean | FormSchema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
}

/** The value of a field whose JSON cannot be parsed: its text. */
export class UnreadableJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type FieldKind = "choice" | "text" | "number" | "flag" | "list" | "fields" | "json";

/** Returns the kind of field for a schema. */
export function fieldKind(schema: FormSchema): FieldKind {
  const { type, enum: values, properties, items } = schema;
  if (values?.every((value) => typeof value === "string" || typeof value === "number")) return "choice";
  if (type === "string") return "text";
  if (type === "number" || type === "integer") return "number";
  if (type === "boolean") return "flag";
  if (type === "array" && items !== undefined && fieldKind(items) !== "json") return "list";
  if (properties !== undefined && Object.keys(properties).length > 0) return "fields";
  return "json";
}

/** Returns the initial value of a form: defaults, and the required parts of required objects. */
export function initialValue(schema: FormSchema): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const begun = beginning(property, schema.required?.includes(key) ?? false);
    if (begun !== undefined) value[key] = begun;
  }
  return value;
}

function beginning(schema: FormSchema, isRequired: boolean): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (!isRequired) return undefined;
  if (fieldKind(schema) === "fields") return initialValue(schema);
  if (fieldKind(schema) === "list") return [];
  return schema.type === "boolean" ? false : undefined;
}

/** Returns the initial value of a new list element. */
export function initialItem(schema: FormSchema): unknown {
  const kinds: Partial<Record<FieldKind, unknown>> = { text: "", flag: false, list: [] };
  const kind = fieldKind(schema);
  if (kind === "fields") return initialValue(schema);
  return schema.default ?? schema.enum?.[0] ?? kinds[kind];
}

/** Returns the object with another value for a key; removes the key if the value is undefined. */
export function withKey(
  object: Record<string, unknown>,
  key: string,
  value: unknown,
): Record<string, unknown> {
  const next = { ...object };
  if (value === undefined) delete next[key];
  else next[key] = value;
  return next;
}

/** Parses the text of a value of any kind. If the schema has no type, a text that is not JSON is a string. */
export function readJson(text: string, { type }: FormSchema): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return type === undefined ? text : new UnreadableJson(text);
  }
}

/** Formats a value as text for editing. */
export function writeJson(value: unknown): string {
  if (value === undefined) return "";
  if (value instanceof UnreadableJson) return value.text;
  return JSON.stringify(value, null, 2);
}

/** Returns true if a part of the value cannot be read. */
export function hasUnreadable(value: unknown): boolean {
  if (value instanceof UnreadableJson || value instanceof UnreadableNumber) return true;
  if (Array.isArray(value)) return value.some(hasUnreadable);
  return typeof value === "object" && value !== null && Object.values(value).some(hasUnreadable);
}

/** Returns the label of a key: its title, or its words: `max_results` becomes "Max results". */
export function labelOf(key: string, { title }: FormSchema): string {
  if (title !== undefined && title !== "") return title;
  const words = key.replaceAll(/[_-]+/g, " ").trim();
  return words === "" ? key : `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
