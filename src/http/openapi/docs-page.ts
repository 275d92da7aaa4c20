import { Eta } from "eta/core";
import style from "./docs-page.css" with { type: "text" };
import template from "./docs-page.eta" with { type: "text" };
import type { Parameter } from "./documented-hook.ts";
import type { OpenApiDocument, Operation } from "./openapi-document.ts";
import type { DocumentSchema } from "./schema-collection.ts";
import { type SchemaRow, schemaRows } from "./schema-rows.ts";

export const docsStyle: string = style;

interface OperationView {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  parameters: SchemaRow[];
  body: SchemaRow[];
  responses: { status: string; description: string; rows: SchemaRow[] }[];
  curl: string;
}

/** Renders the reference page of a service: one HTML file without script. It loads only `docsStyle`. */
export function docsPage(document: OpenApiDocument, origin: string, handbook?: string): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tags: operation.tags,
      view: viewOf(method.toUpperCase(), path, operation, document, origin),
    })),
  );
  const groups = document.tags.map(({ name }) => ({
    name,
    operations: operations.filter(({ tags }) => tags[0] === name).map(({ view }) => view),
  }));
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => ({
    name,
    rows: schemaRows(schema),
  }));
  const eta = new Eta({ autoEscape: true, varName: "page", functionHeader: "const prose = page.prose;" });
  return eta.renderString(template, { info: document.info, groups, schemas, prose, handbook });
}

function viewOf(
  method: string,
  path: string,
  operation: Operation,
  document: OpenApiDocument,
  origin: string,
): OperationView {
  const body = operation.requestBody?.content["application/json"]?.schema;
  return {
    id: operation.operationId,
    method,
    path,
    summary: operation.summary ?? "",
    description: operation.description ?? "",
    parameters: operation.parameters.map(parameterRow),
    body: body === undefined ? [] : schemaRows(body),
    responses: Object.entries(operation.responses).map(([status, response]) => ({
      status,
      description: response.description,
      rows: schemaRows(response.content?.["application/json"]?.schema ?? {}),
    })),
    curl: curlLine(method, path, operation, document, origin),
  };
}

function parameterRow({ name, in: where, required, description = "", schema }: Parameter): SchemaRow {
  const row = schemaRows(schema)[0];
  const note = row?.note === undefined ? where : `${where}, ${row.note}`;
  return { depth: 0, name, type: row?.type ?? "any", required, description, note };
}

function curlLine(
  method: string,
  path: string,
  operation: Operation,
  document: OpenApiDocument,
  origin: string,
): string {
  const body = operation.requestBody?.content["application/json"]?.schema;
  const needsToken = (operation.security ?? document.security).length > 0;
  const example =
    body === undefined ? undefined : JSON.stringify(exampleOf(body, document.components.schemas));
  return [
    method === "GET" ? "curl" : `curl -X ${method}`,
    quoted(origin + path),
    ...(needsToken ? [`-H "Authorization: Bearer $PLATFORM_API_TOKEN"`] : []),
    ...(example === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(example)}`]),
  ].join(" ");
}

/** Quotes text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Renders a description: plain text in which backquotes mark code. */
function prose(text: string): string {
  return text
    .split("`")
    .map((part, index) => (index % 2 === 1 ? `<code>${escaped(part)}</code>` : escaped(part)))
    .join("");
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** Returns a small value that fits the schema by its types, with only the required fields. */
function exampleOf(schema: DocumentSchema, named: Record<string, DocumentSchema>, depth = 0): unknown {
  const given = [...((schema.examples as unknown[] | undefined) ?? []), schema.default, schema.const];
  const first = given.find((value) => value !== undefined);
  if (first !== undefined) return first;
  if (depth > 6) return null;
  const inner = (one: DocumentSchema) => exampleOf(one, named, depth + 1);
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (typeof schema.$ref === "string") return inner(named[schema.$ref.split("/").at(-1) ?? ""] ?? {});
  const [option] = (schema.anyOf ?? schema.oneOf ?? []) as DocumentSchema[];
  if (option) return inner(option);
  switch (schema.type) {
    case "object":
      return objectExample(schema, inner);
    case "array":
      return [inner((schema.items as DocumentSchema | undefined) ?? {})];
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    case "string":
      return "text";
    default:
      return null;
  }
}

function objectExample(
  schema: DocumentSchema,
  inner: (one: DocumentSchema) => unknown,
): Record<string, unknown> {
  const properties = (schema.properties ?? {}) as Record<string, DocumentSchema>;
  const required = (schema.required as string[] | undefined) ?? [];
  return Object.fromEntries(required.map((name) => [name, inner(properties[name] ?? {})]));
}
