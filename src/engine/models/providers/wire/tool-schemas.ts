import { isRecord } from "../../../../kit/json/is-record.ts";
import { schemaKeywords } from "../../../structured/schema-keywords.ts";
import type { ToolSpec } from "../../model.ts";

/*
 * Schemas of tools as vendors take them. Tools of MCP servers and of callers come with schemas that validators accept and model servers
 * refuse, and one refused schema fails the whole request. What is changed or left out here is only what the model reads: a call's arguments
 * are still checked by the tool's own schema.
 *
 * Refused are: an object without `properties`, an array without `items` or with a list of them, `required: null`, and `anyOf` at the top
 * (OpenAI, Anthropic, Gemini); a `$ref` that leads nowhere (all). llama.cpp of November 2025 to August 2026 can't parse the grammar that it
 * makes of a repetition of 2000 or more, nor patterns without `^` and `$`.
 */

/** Limits of a server that turns schemas into a grammar. */
export interface SchemaLimits {
  /** Longest text or list that a schema may name; longer limits are left out. */
  repetitionsMax: number;
  /** True if only patterns from `^` to `$` are understood, without look-ahead and the like. */
  wholePatterns: boolean;
}

/** llama.cpp's, and those of the servers that are built on it (LM Studio). */
export const grammarLimits: SchemaLimits = { repetitionsMax: 1999, wholePatterns: true };

type Schema = Record<string, unknown>;

/** Deeper schemas are left out: following them would take longer than they are worth. */
const depthMax = 64;

/** Thrown for a schema that no vendor takes. */
class Unusable extends Error {}

/**
 * Creates a function that returns the tools to send for a list, once for each list, by identity. `report` is told of each tool that is left
 * out, with the reason as the end of a sentence.
 */
export function createToolFilter(
  limits: SchemaLimits | undefined,
  report: (tool: string, reason: string) => void,
): (tools: readonly ToolSpec[]) => readonly ToolSpec[] {
  const known = new WeakMap<readonly ToolSpec[], readonly ToolSpec[]>();
  return (tools) => {
    let schemas = known.get(tools);
    if (schemas === undefined) {
      schemas = tools.flatMap((tool) => {
        try {
          const parameters = toolSchema(tool.parameters, limits);
          return [parameters === tool.parameters ? tool : { ...tool, parameters }];
        } catch (thrown) {
          if (!(thrown instanceof Unusable)) throw thrown;
          report(tool.name, thrown.message);
          return [];
        }
      });
      if (schemas.length === tools.length && schemas.every((tool, at) => tool === tools[at])) schemas = tools;
      known.set(tools, schemas);
    }
    return schemas;
  };
}

/** The schema of a tool's parameters as vendors take it. Throws if it can't be one. */
export function toolSchema(given: Schema, limits?: SchemaLimits): Schema {
  const schema = tidy(given, { root: given, limits }, 0) as Schema;
  const top = mergeBranches(schema, given);
  const types: unknown[] = [top.type ?? "object"].flat();
  if (!types.includes("object")) throw new Unusable("its parameters are not an object");
  const isPlain = top === schema && top.type === "object" && isRecord(top.properties);
  return isPlain
    ? schema
    : { ...top, type: "object", properties: isRecord(top.properties) ? top.properties : {} };
}

interface Context {
  root: Schema;
  limits: SchemaLimits | undefined;
}

/** A copy of the schema that vendors take; the schema itself if nothing had to change. */
function tidy(value: unknown, context: Context, depth: number): unknown {
  if (typeof value === "boolean") return value;
  if (!isRecord(value)) return {};
  if (depth > depthMax) throw new Unusable("its schema is nested too deeply");
  if (typeof value.$ref === "string" && findTarget(context.root, value.$ref) === undefined)
    throw new Unusable(`its schema refers to ${JSON.stringify(value.$ref)}, which is not in it`);
  const changes: Schema = {};
  for (const [keyword, inside] of Object.entries(value)) {
    const tidied = tidyKeyword(keyword, inside, context, depth);
    if (tidied !== inside) changes[keyword] = tidied;
  }
  if ([value.type].flat().includes("array") && !isSchema(changes.items ?? value.items))
    changes.items = tupleItems(value, context, depth);
  return Object.keys(changes).length === 0 ? value : withoutUndefined({ ...value, ...changes });
}

/** The value of a keyword as vendors take it; undefined leaves it out. */
function tidyKeyword(keyword: string, inside: unknown, context: Context, depth: number): unknown {
  const { limits } = context;
  const shape = schemaKeywords.get(keyword);
  if (shape === undefined || silentKeywords.has(keyword)) return keyword === "nullable" ? inside : undefined;
  switch (shape) {
    case "schema":
      return keyword === "items" && Array.isArray(inside) ? undefined : tidy(inside, context, depth + 1);
    case "schemas":
      if (keyword === "prefixItems") return undefined;
      return Array.isArray(inside) ? mapped(inside, (one) => tidy(one, context, depth + 1)) : undefined;
    case "named schemas":
      return isRecord(inside) ? mappedValues(inside, (one) => tidy(one, context, depth + 1)) : {};
    case "names":
      return Array.isArray(inside) && inside.every((name) => typeof name === "string") ? inside : undefined;
    case "count":
      return limits !== undefined && Number(inside) > limits.repetitionsMax ? undefined : inside;
    case "pattern":
      return limits?.wholePatterns === true && !isWholePattern(String(inside)) ? undefined : inside;
    default:
      return inside;
  }
}

/** Keywords that say nothing to a model. Some vendors refuse them, and those that they don't know. */
const silentKeywords: ReadonlySet<string> = new Set(["$schema", "$id", "$comment"]);

const isWholePattern = (pattern: string) => /^\^.*\$$/s.test(pattern) && !pattern.includes("(?");

/** The items of an array: any one of a tuple's. */
function tupleItems(value: Schema, context: Context, depth: number): unknown {
  const tuple = [value.prefixItems, value.items].find(Array.isArray) as unknown[] | undefined;
  if (tuple === undefined || tuple.length === 0) return {};
  const items = tuple.map((one) => tidy(one, context, depth + 1));
  return items.length === 1 ? items[0] : { anyOf: items };
}

const branchKeywords = ["allOf", "anyOf", "oneOf"] as const;
const conditions = ["not", "if", "then", "else", "enum", "const", "dependentSchemas", "dependentRequired"];

/** The schema with the properties of its branches; those that only some branches require are optional. */
function mergeBranches(schema: Schema, root: Schema): Schema {
  const rest = Object.entries(schema).filter(([keyword]) => !conditions.includes(keyword));
  if (typeof schema.$ref === "string") {
    const { $ref: _, ...rest } = schema;
    const branches = Array.isArray(schema.allOf) ? schema.allOf : [];
    return mergeBranches({ ...rest, allOf: [...branches, { $ref: schema.$ref }] }, root);
  }
  const hasBranches = branchKeywords.some((keyword) => keyword in schema);
  if (!hasBranches && rest.length === Object.keys(schema).length) return schema;
  const merged: Schema = Object.fromEntries(rest);
  let properties = isRecord(schema.properties) ? schema.properties : {};
  const required = new Set(namesIn(schema.required));
  for (const keyword of branchKeywords) {
    delete merged[keyword];
    const branches = Array.isArray(schema[keyword]) ? schema[keyword].map((one) => followed(one, root)) : [];
    for (const branch of branches) properties = { ...branchProperties(branch), ...properties };
    const [first, ...others] = branches.map((branch) => namesIn(branch.required));
    for (const name of first ?? [])
      if (keyword !== "allOf" && others.every((names) => names.includes(name))) required.add(name);
    if (keyword === "allOf")
      for (const branch of branches) for (const name of namesIn(branch.required)) required.add(name);
  }
  return { ...merged, properties, ...(required.size > 0 && { required: [...required] }) };
}

function branchProperties(branch: Schema): Schema {
  if (branch.type !== undefined && ![branch.type].flat().includes("object"))
    throw new Unusable("its parameters are a choice of things that are not objects");
  return isRecord(branch.properties) ? branch.properties : {};
}

/** The branch itself, or the schema it refers to. */
function followed(branch: unknown, root: Schema): Schema {
  const schema = isRecord(branch) ? branch : {};
  const target = typeof schema.$ref === "string" ? findTarget(root, schema.$ref) : undefined;
  return isRecord(target) ? target : schema;
}

/** The part of a schema that a reference within it names; undefined if there is none. */
function findTarget(root: Schema, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  let node: unknown = root;
  for (const segment of decode(reference.slice(1)).split("/").slice(1)) {
    const key = segment.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, key)) return undefined;
    node = (node as Schema)[key];
  }
  return isSchema(node) ? node : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const isSchema = (value: unknown): boolean => typeof value === "boolean" || isRecord(value);

const namesIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];

function mapped(list: unknown[], of: (one: unknown) => unknown): unknown[] {
  const results = list.map(of);
  return results.every((one, at) => one === list[at]) ? list : results;
}

function mappedValues(record: Schema, of: (one: unknown) => unknown): Schema {
  const entries = Object.entries(record).map(([key, one]): [string, unknown] => [key, of(one)]);
  return entries.every(([key, one]) => one === record[key]) ? record : Object.fromEntries(entries);
}

function withoutUndefined(record: Schema): Schema {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
