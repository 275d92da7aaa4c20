import { describe, expect, test } from "bun:test";
import { builtinTools } from "../../../../src/engine/tools/builtin/registry.ts";
import { publishedSchema } from "../../../../src/manifest/schema/json-schema.ts";

/** The documented tools: their parameters, with `*` if required, and the defaults of parameters and options. */
const documented: Record<string, { parameters: string; defaults?: object; options?: object }> = {
  datetime_now: { parameters: "timezone" },
  json_transform: { parameters: "data* template*" },
  cache_store: { parameters: "action* key* value" },
  http_request: {
    parameters: "method* url* headers body",
    options: { allow_localhost: false, timeout_seconds: 30, max_response_bytes: 5_242_880 },
  },
  graphql_query: { parameters: "endpoint* query* variables headers", options: { timeout_seconds: 30 } },
  web_search: { parameters: "query* max_results", options: { provider: "brave" } },
  web_scrape: { parameters: "url* max_length", defaults: { max_length: 10_000 } },
  encyclopedia: { parameters: "topic* language", defaults: { language: "en" } },
  read_file: { parameters: "path* encoding", defaults: { encoding: "utf-8" } },
  write_file: { parameters: "path* content* encoding", defaults: { encoding: "utf-8" } },
  sql_query: { parameters: "query* params", options: { read_only: true, max_rows: 1000 } },
  send_webhook: { parameters: "url* payload* headers" },
  send_chat: { parameters: "message* channel" },
  send_email: { parameters: "to* subject* body*", options: { smtp_port: 587 } },
  text_summarize: { parameters: "text* max_length" },
  rag_query: { parameters: "query* top_k" },
  rag_ingest: { parameters: "document* metadata" },
};

const defaultsOf = (schema: { properties?: unknown }) => {
  const properties = (schema.properties ?? {}) as Record<string, { default?: unknown }>;
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, { default: value }]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
};

test("there are the 17 documented tools, in their order", () => {
  expect([...builtinTools.keys()]).toEqual(Object.keys(documented));
});

describe.each([...builtinTools.values()])("$name", ({ name, parameters, options, description, docs }) => {
  const { parameters: names = "", defaults = {}, options: settings = {} } = documented[name] ?? {};

  test("has the documented parameters and defaults", () => {
    const schema = publishedSchema(parameters) as { properties: object; required?: string[] };
    const required = new Set(schema.required);
    const declared = Object.keys(schema.properties).map((key) => (required.has(key) ? `${key}*` : key));
    expect(declared.sort()).toEqual(names.split(" ").sort());
    expect(defaultsOf(schema)).toMatchObject(defaults);
    expect(defaultsOf(publishedSchema(options))).toMatchObject(settings);
  });

  test("says what it does, and each parameter what it is", () => {
    expect(description.length).toBeGreaterThan(20);
    expect(docs.length).toBeGreaterThan(20);
    const { properties } = publishedSchema(parameters) as {
      properties: Record<string, { description?: string }>;
    };
    for (const property of Object.values(properties))
      expect(property.description?.length ?? 0).toBeGreaterThan(5);
  });
});
