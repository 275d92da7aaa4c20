import { agentKind } from "../../manifest/agent/agent-kind.ts";
import { jsonSchemaOf } from "../../manifest/schema/json-schema.ts";
import { starterTexts } from "../texts/builder.ts";
import type { Schema } from "./manifest/schema-at.ts";

/** A guardrail of a catalog, with the JSON Schema of its options. */
export interface CatalogGuardrail {
  name: string;
  description: string;
  options: unknown;
}

/** Keys of a manifest that a place keeps: `true` for a key with everything below it. */
export type KeptKeys = { readonly [key: string]: KeptKeys | true };

export interface LocalSchemaWish {
  guardrails: { input: readonly CatalogGuardrail[]; output: readonly CatalogGuardrail[] };
  /** Absent: all. */
  keep?: KeptKeys;
  /** Descriptions in place of those for an operator, by path. */
  descriptions?: Readonly<Record<string, string>>;
}

/** Returns the JSON Schema of an agent's manifest where no daemon can be asked for it. The service checks the names of models and tools. */
export function localSchema({ guardrails, keep, descriptions = {} }: LocalSchemaWish): Schema {
  const whole = jsonSchemaOf(agentKind({})) as Schema;
  const stages = whole.properties?.spec?.properties?.guardrails?.properties;
  for (const stage of ["input", "output"] as const) {
    const list = stages?.[stage];
    if (list !== undefined) list.items = { anyOf: guardrails[stage].map(variantOf) };
  }
  const kept = keep === undefined ? whole : keptOf(whole, keep);
  for (const [path, description] of Object.entries(descriptions)) {
    const schema = path
      .split(".")
      .reduce<Schema | undefined>(
        (above, key) => above?.properties?.[key] ?? propertiesOf(above)?.[key],
        kept,
      );
    if (schema !== undefined) schema.description = description;
  }
  return kept;
}

/** The properties of the first variant that has any. */
const propertiesOf = (schema: Schema | undefined) =>
  schema?.anyOf?.find(({ properties }) => properties !== undefined)?.properties;

function variantOf({ name, description, options }: CatalogGuardrail): Schema {
  const { properties = {}, required = [] } = (options ?? {}) as Schema;
  return {
    type: "object",
    description,
    properties: { type: { const: name, description: starterTexts.guardrailKind }, ...properties },
    required: ["type", ...required],
  };
}

/** Returns a schema with these keys alone. The key `*` stands for the items of a list. */
function keptOf(schema: Schema, keep: KeptKeys): Schema {
  const below = (inner: Schema | undefined, kept: KeptKeys | true | undefined) =>
    inner === undefined || kept === undefined ? undefined : kept === true ? inner : keptOf(inner, kept);
  const variant = schema.anyOf?.find(({ properties }) => properties !== undefined);
  const { anyOf: _, ...rest } = { ...variant, ...schema };
  const items = below(rest.items, keep["*"]);
  const properties = Object.entries(rest.properties ?? {}).flatMap(([key, inner]) => {
    const kept = below(inner, keep[key]);
    return kept === undefined ? [] : [[key, kept] as const];
  });
  return {
    ...rest,
    ...(items !== undefined && { items }),
    properties: Object.fromEntries(properties),
    required: (rest.required ?? []).filter((key) => Object.hasOwn(keep, key)),
  };
}
