import { describe, expect, test } from "bun:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Ajv2020 } from "ajv/dist/2020";
import type { OpenApiDocument } from "../../src/http/openapi/openapi-document.ts";
import { startCloud } from "../support/cloud.ts";
import { startDaemon } from "../support/daemon.ts";
import { startGateway } from "../support/gateway.ts";
import { startPlatform } from "../support/platform.ts";
import { sqliteEngine } from "../support/storage-engines.ts";

/** Returns every operation of a document with its path and method. */
function operationsOf({ paths }: OpenApiDocument) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
  );
}

const documents = {
  async daemon() {
    await using daemon = await startDaemon();
    return (await fetch(`${daemon.url}/openapi.json`)).text();
  },
  async platform() {
    await using platform = await startPlatform(sqliteEngine);
    return (await fetch(`${platform.url}/openapi.json`)).text();
  },
  async cloud() {
    await using cloud = await startCloud(sqliteEngine);
    return (await fetch(`${cloud.url}/openapi.json`)).text();
  },
  async gateway() {
    await using gateway = await startGateway(sqliteEngine);
    return (await fetch(`${gateway.url}/openapi.json`)).text();
  },
};

describe.each(Object.entries(documents))("the OpenAPI document of the %s", (name, fetched) => {
  let text: Promise<string> | undefined;
  const read = () => {
    text ??= fetched();
    return text;
  };

  test("is valid for redocly", async () => {
    // `by-id` is a reserved name, so paths with it never belong to an agent.
    const rules = {
      "no-ambiguous-paths": "off",
      "operation-4xx-response": "off",
      "tag-description": "off",
    } as const;
    const config = await createConfig({ extends: ["recommended"], rules });
    const problems = await lintFromString({ source: await read(), config });
    const told = problems.map(
      ({ ruleId, message, location }) => `${ruleId} ${message} ${location[0]?.pointer}`,
    );
    expect(told).toEqual([]);
  });

  test("has schemas of JSON Schema 2020-12 and no keyword of ours", async () => {
    const document = JSON.parse(await read()) as OpenApiDocument;
    const ajv = new Ajv2020({
      strict: true,
      strictTypes: false,
      strictRequired: false,
      validateFormats: false,
    });
    ajv.addSchema({ $id: "document", components: document.components });
    ajv.addVocabulary(["components"]);
    const schemas = operationsOf(document).flatMap(({ path, method, parameters, requestBody, responses }) => [
      ...parameters.map((one) => ({ at: `${method} ${path} ${one.name}`, schema: one.schema })),
      ...[requestBody, ...Object.values(responses)].flatMap((holder) =>
        Object.values(holder?.content ?? {}).map(({ schema }) => ({ at: `${method} ${path}`, schema })),
      ),
    ]);
    expect(schemas.length).toBeGreaterThan(80);
    const referring = schemas.map(({ at, schema }) => {
      const text = JSON.stringify(schema).replaceAll('"#/components', '"document#/components');
      return { at, schema: JSON.parse(text) as object };
    });
    const compiles = (schema: object) => {
      try {
        ajv.compile(schema);
        return true;
      } catch {
        return false;
      }
    };
    // Compiling all at once is many times faster; one by one only finds the faulty schema.
    if (compiles({ allOf: referring.map(({ schema }) => schema) })) return;
    expect(referring.filter(({ schema }) => !compiles(schema)).map(({ at }) => at)).toEqual([]);
    throw new Error("The schemas compile one by one, but not together.");
  });

  test("describes its WebSockets and who may call what", async () => {
    const document = JSON.parse(await read()) as OpenApiDocument;
    const operations = operationsOf(document);
    const sockets = operations.filter(({ responses }) => responses["101"] !== undefined);
    const ways: Partial<Record<typeof name, string[]>> = {
      daemon: ["/v1/ws/agent/{name}"],
      gateway: [],
    };
    expect(sockets.map(({ path }) => path).sort()).toEqual(ways[name] ?? [expect.any(String)]);
    for (const { path, parameters } of operations) {
      const declared = parameters.filter((one) => one.in === "path").map((one) => `{${one.name}}`);
      expect(declared.toSorted(), path).toEqual((path.match(/\{\w+\}/g) ?? []).toSorted());
    }
    if (name !== "platform") return;
    const open = operations.filter(({ security }) => security === undefined).map(({ path }) => path);
    expect(open.filter((path) => path.startsWith("/api/"))).toEqual([]);
    const run = document.paths["/api/v1/agents/{name}/run"]?.post;
    expect(run?.parameters.map((one) => one.name)).toEqual(["name", "X-Tenant-ID", "Idempotency-Key"]);
    expect(run?.security).toEqual([{ apiKey: [] }, { bearer: [] }]);
    expect(Object.keys(document.components.securitySchemes).toSorted()).toEqual([
      "apiKey",
      "bearer",
      "operatorToken",
      "ticket",
    ]);
  });
});
