import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { jsonBody } from "../../src/http/bodies/json-body.ts";
import type { OpenApiDocument } from "../../src/http/openapi/openapi-document.ts";
import { jsonRoutes } from "../../src/http/route-plugins.ts";
import { type SampleOptions, sampleService } from "./sample-service.ts";

async function read(path: string, options: SampleOptions = {}) {
  const { app } = sampleService(options);
  return app.handle(new Request(`http://localhost:8000${path}`), { peer: "local" });
}

const hostile = `</code><script>alert(1)</script>"><img src=x onerror=alert(1)> 'quoted'`;

function hostileRoutes() {
  const body = Type.Object(
    { [hostile]: Type.String({ description: hostile, default: hostile }) },
    { $id: "Hostile" },
  );
  return new Elysia().use(jsonRoutes()).post("/v1/odd", async () => "", {
    ...jsonBody(body),
    detail: { tags: [hostile], summary: hostile, description: hostile },
  });
}

test("the OpenAPI document lists every route but the hidden ones, each once", async () => {
  const document = (await (await read("/openapi.json")).json()) as OpenApiDocument;
  expect(document.openapi).toStartWith("3.1");
  expect(Object.keys(document.paths).sort()).toEqual([
    "/healthz",
    "/openapi.json",
    "/readyz",
    "/v1/hooks/{name}",
    "/v1/slow",
    "/v1/stream",
    "/v1/things",
    "/v1/things/fail",
    "/v1/things/refuse",
    "/v1/things/wrong-answer",
    "/v1/things/{name}",
  ]);
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const ids = operations.map((operation) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(document.paths["/v1/things"]?.get?.parameters[0]).toEqual({
    name: "limit",
    in: "query",
    required: false,
    description: "Maximum number of results. Higher values are reduced to the maximum.",
    schema: { type: "integer", minimum: 1, maximum: 200, default: 20 },
  });
  expect(document.paths["/v1/things/{name}"]?.get?.parameters).toEqual([
    { name: "name", in: "path", required: true, schema: { type: "string" } },
  ]);
});

test("every reference in the document leads to a schema", async () => {
  const text = await (await read("/openapi.json")).text();
  const document = JSON.parse(text) as OpenApiDocument;
  const names = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map((match) => match[1] ?? "");
  expect(names).toContain("Error");
  for (const name of names) expect(Object.keys(document.components.schemas)).toContain(name);
});

test("only an exposed service's document asks for the token", async () => {
  const security = async (exposed: boolean) =>
    ((await (await read("/openapi.json", { access: { exposed } })).json()) as OpenApiDocument).security;
  expect(await security(false)).toEqual([{}, { bearer: [] }]);
  expect(await security(true)).toEqual([{ bearer: [] }]);
});

test("the docs page loads nothing but its own style, and may not run a script", async () => {
  const response = await read("/docs");
  const page = await response.text();
  expect(response.headers.get("content-security-policy")).toStartWith("default-src 'none'; style-src 'self'");
  expect(page).not.toMatch(/<script|<img|style=|@import|url\(/i);
  expect([...page.matchAll(/(?:src|href)="([^"#][^"]*)"/g)].map((match) => match[1])).toEqual([
    "/docs/style.css",
    "/openapi.json",
  ]);
  const style = await read("/docs/style.css");
  expect(style.headers.get("content-type")).toStartWith("text/css");
  expect(await style.text()).not.toMatch(/@import|url\(/);
});

test("the docs page has an anchor and a line for the shell for each operation", async () => {
  const document = (await (await read("/openapi.json")).json()) as OpenApiDocument;
  const page = await (await read("/docs")).text();
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    expect(page).toContain(`<article id="${operation.operationId}">`);
    expect(page).toContain(`href="#${operation.operationId}"`);
  }
  expect(page).toContain("curl &#39;http://localhost:8000/v1/things&#39;");
});

test("what a schema or a description says can't become markup", async () => {
  const page = await (await read("/docs", { more: { routes: () => [hostileRoutes()] } })).text();
  expect(page).toContain("&lt;script&gt;");
  expect(page).not.toMatch(/<script|<img|onerror=alert\(1\)>/i);
});

test("text in backquotes is code", async () => {
  expect(await (await read("/docs")).text()).toContain(
    "A service for tests; <code>code</code> stands in backquotes.",
  );
});
