import { expect, test } from "bun:test";
import { daemonClient } from "../../src/contracts/daemon/client.ts";
import {
  gatewayAdminClient,
  gatewayClient,
  trustedSenderClient,
} from "../../src/contracts/gateway/client.ts";
import { platformClient } from "../../src/contracts/platform/clients/client.ts";
import type { OpenApiDocument } from "../../src/http/openapi/openapi-document.ts";
import { startDaemon } from "../support/daemon.ts";
import { startGateway } from "../support/gateway.ts";
import { startPlatform } from "../support/platform.ts";
import { sqliteEngine } from "../support/storage-engines.ts";

type Fetch = (request: Request) => Promise<Response>;
type Methods = Record<string, (...args: unknown[]) => unknown>;

const baseUrl = "http://argosy.example";

/** Routes that other programs call: clients of the protocols that they speak, monitors, other nodes, and providers of channels. */
const foreign =
  /^\w+ (?:\/(?:mcp|a2a|webhooks|webchat|files|v1\/(?:mesh|responses|models|hooks|channels|ws))(?:\/|$)|\/\.well-known\/|\/(?:openapi\.json|(?:admin\/)?metrics|health|healthz|readyz|v1\/health)$|\/v1\/agents\/\{name\}\/(?:ag-ui|ui-messages)$|\/api\/v1\/agents\/\{name\}\/run\/stream$)/;

/** Arguments with which each method is tried: ids first, or what it sends. */
const tries: readonly unknown[][] = [
  [],
  [{}],
  ["abc"],
  ["abc", {}],
  ["abc", "abc"],
  ["abc", "abc", {}],
  ["abc", "abc", "abc"],
  ["abc", "approve"],
  ["abc", "reject"],
];

/** Every request that a client can make, as `METHOD /path`. */
async function requestsOf(create: (fetch: Fetch) => object): Promise<string[]> {
  const asked = new Set<string>();
  const client = create(async ({ method, url }) => {
    asked.add(`${method} ${new URL(url).pathname}`);
    return Response.json({});
  }) as Methods;
  for (const name of Object.keys(client).filter((key) => typeof client[key] === "function")) {
    for (const args of tries) {
      try {
        const answer = await client[name]?.(...args);
        await (answer as AsyncIterable<unknown> | undefined)?.[Symbol.asyncIterator]?.().next();
      } catch {
        // What it asked counts.
      }
    }
  }
  return [...asked];
}

/** Operations of the document that none of the requests can mean. */
function withoutMethod({ paths }: OpenApiDocument, asked: readonly string[]): string[] {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const patterns = operations.map((operation) => ({
    operation,
    pattern: new RegExp(
      `^${operation.replaceAll(/[.+*?^$()|[\]\\]/g, "\\$&").replaceAll(/\{[^}]+\}/g, "[^/]+")}$`,
    ),
    names: operation.split("{").length,
  }));
  const meant = new Set<string>();
  for (const request of asked) {
    const fitting = patterns.filter(({ pattern }) => pattern.test(request)).sort((a, b) => a.names - b.names);
    if (fitting[0] !== undefined) meant.add(fitting[0].operation);
  }
  return operations.filter((operation) => !meant.has(operation) && !foreign.test(operation));
}

const documentAt = async (url: string): Promise<OpenApiDocument> =>
  (await fetch(`${url}/openapi.json`)).json();

test("the daemon's client has a method for every route", async () => {
  await using daemon = await startDaemon();
  const asked = await requestsOf((fetch) => daemonClient({ fetch, baseUrl }));
  expect(withoutMethod(await documentAt(daemon.url), asked)).toEqual([]);
});

test("the platform's client has a method for every route", async () => {
  await using platform = await startPlatform(sqliteEngine);
  const asked = await requestsOf((fetch) => platformClient({ fetch, baseUrl, apiKey: "apk_x" }));
  expect(withoutMethod(await documentAt(platform.url), asked)).toEqual([]);
});

test("the gateway's clients have a method for every route", async () => {
  await using gateway = await startGateway(sqliteEngine);
  const asked = [
    ...(await requestsOf((fetch) => gatewayClient({ fetch, baseUrl }, "key"))),
    ...(await requestsOf((fetch) => trustedSenderClient({ fetch, baseUrl }, "key"))),
    ...(await requestsOf((fetch) => gatewayAdminClient({ fetch, baseUrl }, "token"))),
  ];
  expect(withoutMethod(await documentAt(gateway.url), asked)).toEqual([]);
});
