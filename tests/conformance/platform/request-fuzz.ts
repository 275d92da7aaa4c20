import { expect } from "bun:test";
import fc from "fast-check";
import type { OpenApiDocument, Operation } from "../../../src/http/openapi/openapi-document.ts";
import { bodyOf, rawRequest } from "../../support/raw-http.ts";
import {
  bodyMutation,
  bytesMutation,
  mutatedHeader,
  otherMethod,
  pathMutation,
} from "../../support/request-mutations.ts";
import type { CredentialName, MatrixWorld } from "./matrix-world.ts";
import type { Plane, RouteRow } from "./route-row.ts";
import { routeRows } from "./route-rows.ts";

/** Refusals in the contract. Nothing behind the platform fails here, so none of them is above 499. */
const refusals = new Set([400, 401, 402, 403, 404, 405, 408, 409, 413, 415, 421, 422, 429]);

const rightful: Record<Plane, CredentialName> = {
  public: "no credential",
  person: "tenant A JWT",
  tenant: "tenant A API key",
  operator: "operator token",
  run: "run token of A",
};

/** The routes in the platform's own document, with the requests that mutations start from. */
export const fuzzedRoutes: readonly string[] = [...new Set(routeRows.map(({ route }) => route))];

/** Counts answers by status, for `runs` mutated requests to a route; throws at the first wrong answer. Needs a world without limits. */
export async function fuzzRoute(
  world: MatrixWorld,
  route: string,
  { runs, seed }: { runs: number; seed: number },
): Promise<Map<number, number>> {
  const { platform } = world;
  const document: OpenApiDocument = (await platform.call("GET", "/openapi.json")).body;
  const documented = documentedBy(document);
  const port = Number(new URL(platform.url).port);
  const seen = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(mutated(world, document, route), async ({ head, body }) => {
      const bytes = Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
      const answer = await rawRequest(port, bytes, { until: () => false });
      const status = answer.status ?? 0;
      seen.set(status, (seen.get(status) ?? 0) + 1);
      if (refusals.has(status)) requireError(head, bodyOf(answer), answer.text);
      else if (status !== 204 || !head[0]?.startsWith("OPTIONS")) {
        expect(documented(head[0] ?? "")).toContain(String(status));
      }
    }),
    { numRuns: runs, seed, endOnFailure: true },
  );
  expect(platform.logged.filter(({ level }) => level === "error")).toEqual([]);
  return seen;
}

/** Lifts the plan's limits; otherwise a few dozen runs would use them up, and all others would end at that check. */
export async function liftLimits<World extends MatrixWorld>(world: World): Promise<World> {
  const { deps } = world.platform;
  const { tenantPlans } = deps.storage.tables;
  const since = new Date(deps.clock.now().getTime() - 1000);
  await deps.storage.transact((tx) =>
    tx.insert(tenantPlans).values({ tenantId: world.owner.id, since, planId: "unlimited" }),
  );
  return world;
}

function mutated({ things, headers }: MatrixWorld, document: OpenApiDocument, route: string) {
  const rows = routeRows.filter((row) => row.route === route) as [RouteRow, ...RouteRow[]];
  const [method = ""] = route.split(" ");
  const names = parameterNames(document, route);
  const texts = ["support", "legal", "2026-13", "2026-03", "ok", "text/html", ...Object.values(things)];
  return fc
    .record({
      row: fc.constantFrom(...rows),
      caller: fc.nat({ max: 1_000_000 }).map((at) => `c${at}`),
      // Without DELETE, after which the other requests would find nothing.
      method: otherMethod("GET", "POST", "PUT", "PATCH", "HEAD", "OPTIONS"),
      changePath: pathMutation(["limit", "cursor", "period", "a", ...names], texts),
      changeBody: fc.array(bodyMutation, { maxLength: 3 }),
      changeBytes: bytesMutation,
      headers: fc.array(mutatedHeader, { maxLength: 2 }),
    })
    .map(({ row, caller, method: other, changePath, changeBody, changeBytes, headers: more }) => {
      const request = row.request(things, caller);
      const changed = changeBody.reduce((body: unknown, change) => change(body), request.body);
      const body =
        changed === undefined ? new Uint8Array() : changeBytes(Buffer.from(JSON.stringify(changed) ?? ""));
      const sent = { ...request.headers, ...headers[rightful[row.plane]] };
      const head = [
        `${other ?? method} ${changePath(request.path)} HTTP/1.1`,
        "Host: localhost",
        "Connection: close",
        ...Object.entries(sent).map(([name, value]) => `${name}: ${value}`),
        ...(body.length > 0 || method === "POST" ? [`Content-Length: ${body.length}`] : []),
        ...more,
      ];
      return { head, body };
    });
}

function parameterNames(document: OpenApiDocument, route: string): string[] {
  const [method = "", path = ""] = route.split(" ");
  const operation = document.paths[path.replace(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
  return (operation?.parameters ?? []).filter((one) => one.in === "query").map(({ name }) => name);
}

/** Returns a function for the documented statuses of a request line: those of all operations whose paths match. */
function documentedBy(document: OpenApiDocument): (line: string) => string[] {
  const templates = Object.entries(document.paths).map(([template, item]) => ({
    pattern: new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+").replaceAll(".", "\\.")}$`),
    item: item as Record<string, Operation>,
  }));
  return (line) => {
    const [method = "", target = ""] = line.split(" ");
    // The path as the server reads it, without its dot segments.
    const path = new URL(`http://localhost${target}`).pathname.replace(/(.)\/$/, "$1");
    const named = method === "HEAD" ? "get" : method.toLowerCase();
    const operations = templates.filter(({ pattern }) => pattern.test(path)).map(({ item }) => item[named]);
    const hidden = path.startsWith("/docs") ? ["200"] : [];
    return [...hidden, ...operations.flatMap((operation) => Object.keys(operation?.responses ?? {}))];
  };
}

function requireError(head: readonly string[], body: string, text: string): void {
  if (head[0]?.startsWith("HEAD") || !/\r\ncontent-type: application\/json/i.test(text)) return;
  const told = JSON.parse(Buffer.from(body, "latin1").toString());
  expect(told).toEqual(expect.objectContaining({ error: expect.any(String), message: expect.any(String) }));
  expect(told.error).not.toBe("internal");
}
