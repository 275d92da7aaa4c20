import { schemaFormTexts as texts } from "../../texts/parts.ts";
import { UnreadableNumber } from "../inputs/number-entry.ts";
import { isRecord } from "../is-record.ts";
import { type FormSchema, UnreadableJson } from "./schema-form-value.ts";

/** Faults of an input by path: `rows.0.name`. */
export type FormFaults = Readonly<Record<string, string>>;

/** Checks an input by the part of its schema that forms support; the server checks the rest. */
export function checkInput(schema: FormSchema, value: unknown): FormFaults {
  const faults: Record<string, string> = {};
  check(schema, value, "", faults);
  return faults;
}

export const joinPath = (path: string, key: string | number): string =>
  path === "" ? String(key) : `${path}.${key}`;

function check(schema: FormSchema, value: unknown, path: string, faults: Record<string, string>): void {
  if (value instanceof UnreadableJson) {
    faults[path] = texts.unreadable;
    return;
  }
  if (value instanceof UnreadableNumber) {
    faults[path] = value.fault;
    return;
  }
  const fault = typeFault(schema, value) ?? rangeFault(schema, value);
  if (fault !== undefined) {
    faults[path] = fault;
    return;
  }
  if (Array.isArray(value)) {
    value.forEach((item, at) => {
      if (schema.items !== undefined) check(schema.items, item, joinPath(path, at), faults);
    });
  } else if (typeof value === "object" && value !== null) {
    checkKeys(schema, value as Record<string, unknown>, path, faults);
  }
}

function checkKeys(
  { properties = {}, required = [], additionalProperties }: FormSchema,
  value: Record<string, unknown>,
  path: string,
  faults: Record<string, string>,
): void {
  for (const key of required) if (value[key] === undefined) faults[joinPath(path, key)] = texts.needed;
  for (const [key, part] of Object.entries(value)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property !== undefined) check(property, part, joinPath(path, key), faults);
    else if (part instanceof UnreadableJson) faults[joinPath(path, key)] = texts.unreadable;
    else if (additionalProperties === false) faults[joinPath(path, key)] = texts.unknown;
  }
}

const isOfType: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number" && Number.isFinite(value),
  integer: Number.isInteger,
  boolean: (value) => typeof value === "boolean",
  array: Array.isArray,
  object: (value) => isRecord(value),
  null: (value) => value === null,
};

function typeFault({ type, enum: values }: FormSchema, value: unknown): string | undefined {
  if (values !== undefined) return values.includes(value) ? undefined : texts.noChoice;
  const types = type === undefined ? [] : [type].flat();
  if (types.length === 0 || types.some((one) => isOfType[one]?.(value) ?? true)) return undefined;
  return texts.wrongType(types);
}

function rangeFault(schema: FormSchema, value: unknown): string | undefined {
  const { minimum, maximum, minLength = 0, maxLength, minItems = 0, maxItems } = schema;
  if (typeof value === "number") {
    if (minimum !== undefined && value < minimum) return texts.atLeast(minimum);
    if (maximum !== undefined && value > maximum) return texts.atMost(maximum);
  }
  if (typeof value === "string") {
    const length = [...value].length;
    if (length < minLength) return minLength === 1 ? texts.needed : texts.longer(minLength);
    if (maxLength !== undefined && length > maxLength) return texts.shorter(maxLength);
  }
  if (Array.isArray(value)) {
    if (value.length < minItems) return texts.moreItems(minItems);
    if (maxItems !== undefined && value.length > maxItems) return texts.fewerItems(maxItems);
  }
  return undefined;
}
