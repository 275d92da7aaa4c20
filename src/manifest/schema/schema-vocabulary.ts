import {
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnsafe,
  Type,
} from "@sinclair/typebox";

/**
 * Annotations of every manifest schema. Two keywords are ours and are never part of the published JSON Schema:
 * - `expects`: what a value must be, in plain words, if type and bounds do not say it well enough
 * - `aliases`: other spellings of a property's key; they are folded before validation
 *
 * A property that is required and has a `default` may be omitted: reading fills it in. The default of an optional property is only
 * documentation: the code that uses the value decides (`sqlite`, or `postgres` with a DATABASE_URL).
 */
export interface Words {
  description: string;
  default?: unknown;
  expects?: string;
  aliases?: readonly string[];
}

/** Returns an object schema that refuses unknown keys. */
export function closed<P extends TProperties>(
  properties: P,
  words: Partial<Words> & { title?: string } = {},
): TObject<P> {
  return Type.Object(properties, { additionalProperties: false, ...words });
}

/** Returns a choice among names; `available` narrows it to those that this build supports. */
export function oneOf<const N extends readonly string[]>(
  names: N,
  words: Words,
  available?: readonly string[],
): TUnsafe<N[number]> {
  const offered = available === undefined ? names : names.filter((name) => available.includes(name));
  const variants = offered.map((name) => Type.Literal(name));
  const narrowed =
    offered.length < names.length && offered.length > 0
      ? { expects: `${offered.map((name) => `\`${name}\``).join(" or ")}; this version has no others` }
      : {};
  return Type.Unsafe<N[number]>(Type.Union(variants, { ...narrowed, ...words }));
}

/** Returns a choice among the given names, or any name of the right shape if the names are unknown. */
export function nameFrom(available: readonly string[] | undefined, words: Words): TUnsafe<string> {
  if (available === undefined) return Type.Unsafe<string>(name(words));
  return Type.Unsafe<string>(oneOf(available, words));
}

/** The name of a collection, as in the API. */
export const collectionName = (words: Words) =>
  Type.String({
    pattern: "^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$",
    expects: "1 to 63 letters, digits, `.`, `_` and `-` that start and end with a letter or digit",
    ...words,
  });

/** A short lower-case identifier: providers, guardrail types, collections of pipelines. */
export const name = (words: Words) =>
  Type.String({
    pattern: "^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$",
    expects: "1 to 63 lower-case letters, digits, `-` and `_` that start and end with a letter or digit",
    ...words,
  });

/** The name of an agent or a pipeline. `by-id` is a route of the platform and can't be a name. */
export const objectName = (words: Words) =>
  Type.String({
    pattern: "^(?!by-id$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$",
    expects:
      "1 to 63 lower-case letters, digits and `-` that start and end with a letter or digit (`by-id` is reserved)",
    ...words,
  });

/** The name of a tool for a model: the form that all providers accept. */
export const toolName = (words: Words) =>
  Type.String({
    pattern: "^[A-Za-z0-9_-]{1,64}$",
    expects: "1 to 64 letters, digits, `_` and `-`",
    ...words,
  });

export const variableName = (words: Words) =>
  Type.String({
    pattern: "^[A-Za-z_][A-Za-z0-9_]{0,127}$",
    expects: "the name of an environment variable (never the secret itself)",
    ...words,
  });

export const text = (maxLength: number, words: Words) => Type.String({ minLength: 1, maxLength, ...words });

/** A template or a prompt, up to 256 Ki characters. */
export const template = (words: Words) => Type.String({ maxLength: 262_144, ...words });

export const httpUrl = (words: Words) =>
  Type.String({
    pattern: "^https?://[^\\s]{1,2000}$",
    expects: "an address that starts with http:// or https://",
    ...words,
  });

/** The address of a store: `redis://…`, `postgres://…`, `https://…`, `s3://…`. */
export const storeUrl = (words: Words) =>
  Type.String({
    pattern: "^[a-z][a-z0-9+.-]{0,30}://[^\\s]{1,2000}$",
    expects: "an address such as redis://host:6379",
    ...words,
  });

export const whole = (minimum: number, maximum: number, words: Words) =>
  Type.Integer({ minimum, maximum, ...words });

export const number = (minimum: number, maximum: number, words: Words) =>
  Type.Number({ minimum, maximum, ...words });

export const flag = (words: Words) => Type.Boolean({ ...words });

export const list = <T extends TSchema>(items: T, maxItems: number, words: Words) =>
  Type.Array(items, { maxItems, ...words });

/** A mapping with free keys; `keys` is their pattern. */
export function mapping<T extends TSchema>(
  values: T,
  words: Words,
  keys = "^.{1,255}$",
): TUnsafe<Record<string, Static<T>>> {
  return Type.Unsafe<Record<string, Static<T>>>(
    Type.Record(Type.String({ pattern: keys }), values, {
      additionalProperties: false,
      maxProperties: 256,
      ...words,
    }),
  );
}

/** Any JSON mapping: JSON Schemas, and options that other code checks. */
export const openObject = (words: Words) =>
  Type.Unsafe<Record<string, unknown>>(Type.Record(Type.String(), Type.Unknown(), words));

/** Returns the aliases of a property's key. */
export function aliasesOf(property: TSchema): readonly string[] {
  return property.aliases ?? [];
}

/** Returns the keys that must be written. */
export function requiredKeys(schema: TObject): string[] {
  return (schema.required ?? []).filter((key) => !("default" in (schema.properties[key] ?? {})));
}
