import type { TSchema } from "@sinclair/typebox";
import type { AnyElysia } from "elysia";
import type { Access } from "./front-door.ts";
import { type JsonSchema, SchemaCollection } from "./schema-collection.ts";

export type RouteList = AnyElysia["routes"];

export interface ServiceInfo {
  name: string;
  title: string;
  description: string;
  version: string;
  access: Access;
  errorSchema: TSchema;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string;
  schema: JsonSchema;
}

export interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags: string[];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: JsonSchema }> }>;
  security?: Record<string, string[]>[];
}

export interface OpenApiDocument {
  openapi: "3.1.1";
  info: { title: string; version: string; description: string };
  tags: { name: string }[];
  security: Record<string, string[]>[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, object> };
}

/** Describes a service from its routes. Routes hide by `detail: {hide: true}`; schemas with an `$id` get their own entry. */
export function openApiDocument(service: ServiceInfo, routes: RouteList): OpenApiDocument {
  const schemas = new SchemaCollection();
  const paths: OpenApiDocument["paths"] = {};
  for (const route of routes) {
    if (route.hooks.detail?.hide) continue;
    const path = openPath(route.path);
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: describeRoute(route, service.errorSchema, schemas),
    };
  }
  const tags = new Set(
    Object.values(paths).flatMap((item) => Object.values(item).flatMap((one) => one.tags)),
  );
  return {
    openapi: "3.1.1",
    info: { title: service.title, version: service.version, description: service.description },
    tags: [...tags].map((name) => ({ name })),
    security: service.access.guard === "api_token" && service.access.exposed ? [{ bearer: [] }] : [],
    paths,
    components: {
      schemas: schemas.named,
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
    },
  };
}

function describeRoute(route: RouteList[number], errorSchema: TSchema, schemas: SchemaCollection): Operation {
  const { hooks } = route;
  const detail: Partial<Operation> = hooks.detail ?? {};
  const body = hooks.body as TSchema | undefined;
  return {
    ...detail,
    operationId: detail.operationId ?? operationId(route.method, route.path),
    tags: detail.tags ?? ["Other"],
    parameters: [
      ...parameters("path", pathSchema(route.path, hooks.params), schemas),
      ...parameters("query", hooks.query as TSchema | undefined, schemas),
      ...parameters("header", hooks.headers as TSchema | undefined, schemas),
    ],
    ...(body !== undefined && {
      requestBody: { required: true, content: { "application/json": { schema: schemas.add(body) } } },
    }),
    responses: {
      ...responses(hooks.response, schemas),
      default: {
        description: "Refused.",
        content: { "application/json": { schema: schemas.add(errorSchema) } },
      },
      ...detail.responses,
    },
  };
}

function parameters(
  where: Parameter["in"],
  schema: TSchema | undefined,
  schemas: SchemaCollection,
): Parameter[] {
  const required = new Set<string>((schema?.required as string[] | undefined) ?? []);
  const properties = Object.entries((schema?.properties ?? {}) as Record<string, TSchema>);
  return properties.map(([name, property]) => {
    const { description, ...described } = schemas.add(property) as JsonSchema & { description?: string };
    return {
      name,
      in: where,
      required: where === "path" || (required.has(name) && !("default" in described)),
      ...(description !== undefined && { description }),
      schema: described,
    };
  });
}

/** The declared parameters of a path, or plain strings under the names that its pattern has. */
function pathSchema(path: string, declared: unknown): TSchema | undefined {
  if (declared) return declared as TSchema;
  const names = [...path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? "");
  return {
    properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
  } as unknown as TSchema;
}

function responses(declared: unknown, schemas: SchemaCollection): Operation["responses"] {
  const byStatus = isSchemaMap(declared) ? declared : declared ? { 200: declared as TSchema } : {};
  const described = Object.entries(byStatus).map(([status, schema]) => [
    status,
    {
      description:
        (schema.description as string | undefined) ?? (status.startsWith("2") ? "Done." : "Refused."),
      content: { "application/json": { schema: schemas.add(schema) } },
    },
  ]);
  return {
    ...(described.length === 0 && { 200: { description: "Done." } }),
    ...Object.fromEntries(described),
  };
}

/** A route declares one schema, or one for each status. */
function isSchemaMap(declared: unknown): declared is Record<string, TSchema> {
  return (
    typeof declared === "object" &&
    declared !== null &&
    Object.keys(declared).every((key) => /^\d{3}$/.test(key))
  );
}

function openPath(path: string): string {
  const plain = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  return plain.replace(/:(\w+)/g, "{$1}");
}

/** `GET /v1/agents/:name` is `getV1AgentsByName`. */
function operationId(method: string, path: string): string {
  const words = path.split(/[/._-]+/).filter(Boolean);
  const named = words.map((word) => (word.startsWith(":") ? `By${capital(word.slice(1))}` : capital(word)));
  return method.toLowerCase() + named.join("");
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
