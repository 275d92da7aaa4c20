import { isRecord } from "../../../../kit/json/is-record.ts";
import { subSchemas } from "../../../structured/schema-keywords.ts";
import type { AnswerSchema } from "../../../structured/structured-output.ts";
import type { ModelRequest } from "../../model.ts";

/** Returns the field of a request's body that enforces a schema for the answer; undefined if there is none. */
export type ShapeOf = (request: ModelRequest) => string | undefined;

/**
 * Creates a function that writes this field as `"name":value`, once per schema. It is left out if tools are offered: most servers refuse
 * the combination or then never call a tool, and text before a call would precede the JSON.
 */
export function createShapeWriter(
  memberOf: (shape: AnswerSchema) => Record<string, unknown> | undefined,
): ShapeOf {
  const written = new WeakMap<AnswerSchema, string>();
  return ({ answerSchema, tools }) => {
    if (answerSchema === undefined || tools.length > 0) return undefined;
    let member = written.get(answerSchema);
    if (member === undefined) {
      const value = memberOf(answerSchema);
      member = value === undefined ? "" : JSON.stringify(value).slice(1, -1);
      written.set(answerSchema, member);
    }
    return member === "" ? undefined : member;
  };
}

/** The subset of JSON Schema that a vendor can enforce. */
export interface SchemaSubset {
  keywords: ReadonlySet<string>;
  formats: ReadonlySet<string>;
  /** True if objects must require all their properties. */
  requiresAll: boolean;
}

/** Returns true if a schema describes an object within the subset and every object in it is closed. */
export function isWithin(schema: Readonly<Record<string, unknown>>, subset: SchemaSubset): boolean {
  return schema.type === "object" && !("anyOf" in schema) && keepsTo(schema, subset);
}

function keepsTo(schema: unknown, subset: SchemaSubset): boolean {
  if (!isRecord(schema)) return false;
  const known = Object.keys(schema).every((keyword) => subset.keywords.has(keyword));
  if (!known || ("format" in schema && !subset.formats.has(String(schema.format)))) return false;
  const types: unknown[] = [schema.type].flat();
  if ((types.includes("object") || "properties" in schema) && !isClosed(schema, subset)) return false;
  return subSchemas(schema).every(
    (sub) => sub.keyword === "additionalProperties" || keepsTo(sub.schema, subset),
  );
}

function isClosed(schema: Readonly<Record<string, unknown>>, { requiresAll }: SchemaSubset): boolean {
  if (schema.additionalProperties !== false) return false;
  if (!requiresAll) return true;
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
  return Object.keys(isRecord(schema.properties) ? schema.properties : {}).every((name) =>
    required.includes(name),
  );
}
