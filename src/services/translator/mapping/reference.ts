import type { SpecKind } from "../../../contracts/translator/translation.ts";
import type { JsonObject } from "./section-table.ts";

/** Names a resource of a spec, before anything knows its id in the cloud. */
export interface ResourceReference {
  kind: SpecKind;
  spec: string;
  resource_type: string;
  name: string;
}

/** The text of a reference in configs: `{kind}/{manifest}/{type}/{name}`. */
export const referenceText = ({ kind, spec, resource_type, name }: ResourceReference): string =>
  `${kind}/${spec}/${resource_type}/${name}`;

/** Makes a config refer to a resource: lists it in `bindings` and returns the text to put where the id goes. */
export function bind(config: JsonObject, reference: ResourceReference): string {
  const text = referenceText(reference);
  const bindings = (config.bindings ?? []) as string[];
  config.bindings = bindings.includes(text) ? bindings : [...bindings, text];
  return text;
}

/** Returns the references of a config. */
export const bindingsOf = (config: JsonObject): readonly string[] =>
  Array.isArray(config.bindings) ? config.bindings.filter((one) => typeof one === "string") : [];

/** Returns the config as it is sent: each reference replaced by the id that `idOf` knows, and without `bindings`. */
export function resolveBindings(config: JsonObject, idOf: (reference: string) => string): JsonObject {
  const ids = new Map(bindingsOf(config).map((reference) => [reference, idOf(reference)]));
  const resolve = (value: unknown): unknown => {
    if (typeof value === "string") return ids.get(value) ?? value;
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner)]));
  };
  const { bindings: _, ...body } = config;
  return resolve(body) as JsonObject;
}
