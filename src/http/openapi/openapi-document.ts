import type { TSchema } from "@sinclair/typebox";
import type { AnyElysia } from "elysia";
import type { Access } from "../front-door/front-door.ts";
import { hookFacts, type Parameter, type SecurityNeed } from "./documented-hook.ts";
import { type DocumentSchema, SchemaCollection } from "./schema-collection.ts";

export type RouteList = AnyElysia["routes"];

export interface ServiceInfo {
  name: string;
  title: string;
  description: string;
  version: string;
  access: Access;
  errorSchema: TSchema;
}

/** All authentication schemes that a service may have. */
const securitySchemes = {
  bearer: { type: "http", scheme: "bearer", description: "Access token, or the API token of the daemon." },
  apiKey: { type: "apiKey", in: "header", name: "X-API-Key", description: "API key of a tenant." },
  operatorToken: { type: "apiKey", in: "header", name: "X-Operator-Token" },
  gatewayKey: { type: "apiKey", in: "header", name: "X-Gateway-Key", description: "Send key of a tenant." },
  gatewaySenderKey: { type: "apiKey", in: "header", name: "X-Gateway-Sender-Key" },
  gatewayAdminToken: { type: "apiKey", in: "header", name: "X-Admin-Token" },
  visitorToken: { type: "http", scheme: "bearer", description: "Token of a web chat's visitor." },
  ticket: { type: "apiKey", in: "query", name: "ticket", description: "Stream ticket, valid for one use." },
} as const;

export interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags: string[];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: DocumentSchema }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: DocumentSchema }> }>;
  security?: readonly SecurityNeed[];
}

export interface OpenApiDocument {
  openapi: "3.1.1";
  info: {
    title: string;
    version: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: { url: string }[];
  tags: { name: string }[];
  security: readonly SecurityNeed[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, DocumentSchema>; securitySchemes: Record<string, object> };
}

/** Describes a service from its routes. Routes with `detail: {hide: true}` are hidden; schemas with an `$id` get their own entry. */
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
    info: {
      title: service.title,
      version: service.version,
      description: service.description,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: [...tags].map((name) => ({ name })),
    security: securityOf(service.access),
    paths,
    components: { schemas: schemas.named, securitySchemes: usedSchemes(paths, service.access) },
  };
}

/** On this machine, a service without users of its own requires no token, but accepts it. */
function securityOf({ guard, exposed }: Access): SecurityNeed[] {
  if (guard !== "api_token") return [];
  return exposed ? [{ bearer: [] }] : [{}, { bearer: [] }];
}

function usedSchemes(paths: OpenApiDocument["paths"], access: Access): Record<string, object> {
  const needs = Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap(({ security = [] }) => security),
  );
  const used = new Set([...needs, ...securityOf(access)].flatMap((need) => Object.keys(need)));
  return Object.fromEntries(Object.entries(securitySchemes).filter(([name]) => used.has(name)));
}

function describeRoute(route: RouteList[number], errorSchema: TSchema, schemas: SchemaCollection): Operation {
  const { hooks } = route;
  const detail: Partial<Operation> = hooks.detail ?? {};
  const body = hooks.body as TSchema | undefined;
  const facts = hookFacts(hooks);
  const security = detail.security ?? facts.find((fact) => fact.security !== undefined)?.security;
  return {
    ...detail,
    ...(security !== undefined && { security }),
    operationId: detail.operationId ?? operationId(route.method, route.path),
    tags: detail.tags ?? ["Other"],
    parameters: [
      ...parameters("path", pathSchema(route.path, hooks.params), schemas),
      ...parameters("query", hooks.query as TSchema | undefined, schemas),
      ...parameters("header", hooks.headers as TSchema | undefined, schemas),
      ...facts.flatMap((fact) => fact.parameters ?? []),
      ...(detail.parameters ?? []),
    ],
    ...(body !== undefined && {
      requestBody: { required: true, content: { "application/json": { schema: schemas.add(body) } } },
    }),
    responses: {
      ...(detail.responses?.["101"] === undefined && responses(hooks.response, schemas)),
      default: {
        description: "Error.",
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
    const { description, ...described } = schemas.add(property) as DocumentSchema & { description?: string };
    return {
      name,
      in: where,
      required: where === "path" || (required.has(name) && !("default" in described)),
      ...(description !== undefined && { description }),
      schema: described,
    };
  });
}

/** Returns the declared parameters of a path, or plain strings for the names in its pattern. */
function pathSchema(path: string, declared: unknown): TSchema | undefined {
  if (declared) return declared as TSchema;
  const names = [...path.matchAll(/:(\w+)|\*/g)].map((match) => match[1] ?? "path");
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
        (schema.description as string | undefined) ?? (status.startsWith("2") ? "Success." : "Error."),
      ...(schema.type !== "void" && { content: { "application/json": { schema: schemas.add(schema) } } }),
    },
  ]);
  return {
    ...(described.length === 0 && { 200: { description: "Success." } }),
    ...Object.fromEntries(described),
  };
}

/** Returns true if the route declares one schema for each status rather than a single one. */
function isSchemaMap(declared: unknown): declared is Record<string, TSchema> {
  return (
    typeof declared === "object" &&
    declared !== null &&
    Object.keys(declared).every((key) => /^\d{3}$/.test(key))
  );
}

function openPath(path: string): string {
  const plain = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  return plain.replace(/:(\w+)/g, "{$1}").replace("*", "{path}");
}

/** Returns the operation's id: `getV1AgentsByName` for `GET /v1/agents/:name`. */
function operationId(method: string, path: string): string {
  const words = path.split(/[/._-]+/).filter(Boolean);
  const named = words.map((word) => (word.startsWith(":") ? `By${capital(word.slice(1))}` : capital(word)));
  return method.toLowerCase() + named.join("");
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
