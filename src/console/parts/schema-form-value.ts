import { UnreadableNumber } from "./number-entry.ts";

/** What a form reads of a JSON Schema; keywords that it doesn't know are left to the server. */
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

/** In the place of a value whose JSON can't be read: what was written. */
export class UnreadableJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type FieldKind = "choice" | "text" | "number" | "flag" | "list" | "fields" | "json";

/** How a value of this schema is put in. */
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

/** What a form begins with: defaults, and of objects that have to be there what they have to have. */
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

/** What a new element of a list begins with. */
export function initialItem(schema: FormSchema): unknown {
  const kinds: Partial<Record<FieldKind, unknown>> = { text: "", flag: false, list: [] };
  const kind = fieldKind(schema);
  if (kind === "fields") return initialValue(schema);
  return schema.default ?? schema.enum?.[0] ?? kinds[kind];
}

/** The object with another value under a key; without the key when there is none. */
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

/** Reads what was written for a value of any kind; where any will do, a text that is no JSON is meant as it is. */
export function readJson(text: string, { type }: FormSchema): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return type === undefined ? text : new UnreadableJson(text);
  }
}

/** How a value is shown to be written on. */
export function writeJson(value: unknown): string {
  if (value === undefined) return "";
  if (value instanceof UnreadableJson) return value.text;
  return JSON.stringify(value, null, 2);
}

/** Whether a value has a part that can't be read. */
export function hasUnreadable(value: unknown): boolean {
  if (value instanceof UnreadableJson || value instanceof UnreadableNumber) return true;
  if (Array.isArray(value)) return value.some(hasUnreadable);
  return typeof value === "object" && value !== null && Object.values(value).some(hasUnreadable);
}

/** Letters, then digits, with spaces between words: `max_results` → "Max results". */
export function labelOf(key: string, { title }: FormSchema): string {
  if (title !== undefined && title !== "") return title;
  const words = key.replaceAll(/[_-]+/g, " ").trim();
  return words === "" ? key : `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
