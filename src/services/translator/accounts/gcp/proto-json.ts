import type { JsonObject } from "../../mapping/section-table.ts";

/*
 * JSON of protocol buffers: fields are camelCase on the wire, and snake_case in configs. Maps and structures of free form keep their keys.
 */

/** Fields whose values have keys of their own, in snake_case. */
const freeForm: ReadonlySet<string> = new Set(["labels", "json_config", "build_args", "class_methods"]);

const camel = (key: string) => key.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
const snake = (key: string) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const toWire = (value: unknown): unknown => renamed(value, camel, (key) => freeForm.has(key));
export const fromWire = (value: unknown): unknown => renamed(value, snake, (key) => freeForm.has(snake(key)));

function renamed(value: unknown, rename: (key: string) => string, isFree: (key: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => renamed(one, rename, isFree));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, inner]) => [
      rename(key),
      isFree(key) ? inner : renamed(inner, rename, isFree),
    ]),
  );
}
