/** The part of JSON Schema that the services' contracts use. */
export interface JsonSchema {
  type?: string;
  description?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  patternProperties?: Record<string, JsonSchema>;
  additionalProperties?: boolean | JsonSchema;
  required?: string[];
  $ref?: string;
}

/** A schema with the name that clients give its type. */
export interface NamedSchema {
  name: string;
  schema: JsonSchema;
}

/** The part of an OpenAPI document that the types of clients come from. */
export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema> };
}

type Content = { content?: Record<string, { schema: JsonSchema }> };

interface Operation {
  operationId?: string;
  requestBody?: Content;
  responses: Record<string, Content>;
}

/** Returns the schema of an operation's body: `request`, or the response with a status. Throws if the document has none. */
export function schemaIn(
  document: ApiDocument,
  operationId: string,
  part: "request" | `${number}`,
): JsonSchema {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const operation = operations.find((each) => each.operationId === operationId);
  const content = part === "request" ? operation?.requestBody : operation?.responses[part];
  const schema = content?.content?.["application/json"]?.schema;
  if (schema === undefined) throw new Error(`openapi.json has no ${part} of ${operationId}.`);
  return resolved(schema, document);
}

/** Replaces references by the schemas that they name. */
export function resolved(schema: JsonSchema, document: ApiDocument): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema, (_, value) => {
      const name = /^#\/components\/schemas\/(.+)$/.exec(value?.$ref ?? "")?.[1];
      return name === undefined ? value : document.components.schemas[name];
    }),
  );
}
