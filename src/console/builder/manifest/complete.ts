import type { Path } from "../../../manifest/fault.ts";
import { valueAt } from "../../../manifest/value-at.ts";
import { completionTexts as texts } from "../../texts/builder.ts";
import { descriptionText } from "../../texts/manifest-descriptions.ts";
import { aliasesIn, type Schema, schemasAt } from "./schema-at.ts";

/** A completion at a place of a manifest. */
export interface Suggestion {
  label: string;
  kind: "key" | "value";
  /** Inserted text: a key includes the beginning of its value. */
  insert: string;
  /** Short note: the type, or that the key is required. */
  detail?: string;
  info?: string;
}

/**
 * Returns completions at `path` that begin with `prefix`: missing keys of a mapping, or known values. `value` is the document without the
 * word at the cursor.
 */
export function complete(schema: Schema, path: Path, prefix: string, value?: unknown): Suggestion[] {
  const present = valueAt(value, path);
  const found = new Map<string, Suggestion>();
  for (const shape of schemasAt(schema, path, value)) {
    for (const suggestion of [...keysOf(shape, present), ...valuesOf(shape)]) {
      if (!found.has(suggestion.insert)) found.set(suggestion.insert, suggestion);
    }
  }
  return [...found.values()].filter(({ label }) => label.startsWith(prefix));
}

function keysOf(shape: Schema, present: unknown): Suggestion[] {
  const aliases = aliasesIn(shape);
  const taken = new Set(Object.keys(typeof present === "object" && present !== null ? present : {}));
  for (const [alias, key] of aliases) if (taken.has(alias)) taken.add(key);
  return Object.entries(shape.properties ?? {}).flatMap(([key, property]) => {
    if (taken.has(key) || aliases.has(key)) return [];
    const detail = shape.required?.includes(key) ? texts.required : typeOf(property);
    const { description } = property;
    return {
      label: key,
      kind: "key" as const,
      insert: `${key}:${property.properties || property.anyOf || property.items ? "" : " "}`,
      ...(detail === undefined ? {} : { detail }),
      ...(description === undefined ? {} : { info: descriptionText(description) }),
    };
  });
}

function valuesOf(shape: Schema): Suggestion[] {
  const values = shape.enum ?? (shape.const === undefined ? [] : [shape.const]);
  const known = values.length === 0 && shape.type === "boolean" ? [true, false] : values;
  return known.map((value) => {
    const label = String(value);
    return {
      label,
      kind: "value",
      insert: label,
      ...(value === shape.default ? { detail: texts.default } : {}),
      ...(shape.description === undefined ? {} : { info: descriptionText(shape.description) }),
    };
  });
}

function typeOf({ type, enum: values, properties, items, anyOf }: Schema): string | undefined {
  if (values !== undefined) return texts.choice;
  if (properties !== undefined) return texts.mapping;
  if (items !== undefined) return texts.list;
  return anyOf === undefined ? type : undefined;
}
