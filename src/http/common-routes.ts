import { Elysia } from "elysia";
import { Liveness, Readiness, type ReadinessCheck } from "../contracts/health.ts";
import { docsPage, docsStyle } from "./openapi/docs-page.ts";
import { openApiDocument, type RouteList, type ServiceInfo } from "./openapi/openapi-document.ts";

/** Checks everything that a service needs to accept work. */
export type ReadReadiness = () => Promise<ReadinessCheck[]>;

/** A page of ours: its own text and style, nothing external, no script. */
const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

interface CommonFacts extends ServiceInfo {
  readReadiness: ReadReadiness;
  handbook?: string;
}

/** Routes of every service: liveness, readiness, the OpenAPI document and the page made from it. */
export function commonRoutes(facts: CommonFacts, routes: () => RouteList) {
  const alive: Liveness = { status: "ok", service: facts.name, version: facts.version };
  // Routes do not change after the service is built.
  let document: ReturnType<typeof openApiDocument> | undefined;
  const describe = () => {
    document ??= openApiDocument(facts, routes());
    return document;
  };
  return new Elysia()
    .get("/healthz", async () => alive, {
      response: Liveness,
      detail: { tags: ["Service"], summary: "Liveness: whether the process responds", security: [] },
    })
    .get(
      "/readyz",
      async ({ set }) => {
        const checks = await facts.readReadiness();
        const isReady = checks.every((check) => check.ok);
        set.status = isReady ? 200 : 503;
        if (!isReady) set.headers["retry-after"] = "1";
        return { status: isReady ? ("ready" as const) : ("not_ready" as const), checks };
      },
      {
        response: { 200: Readiness, 503: Readiness },
        detail: { tags: ["Service"], summary: "Readiness: whether the service accepts work", security: [] },
      },
    )
    .get("/openapi.json", async () => describe(), {
      detail: { tags: ["Service"], summary: "Returns the OpenAPI 3.1 document of this API" },
    })
    .get(
      "/docs",
      async ({ request }) =>
        new Response(docsPage(describe(), new URL(request.url).origin, facts.handbook), {
          headers: pageHeaders,
        }),
      { detail: { hide: true } },
    )
    .get(
      "/docs/style.css",
      async () => new Response(docsStyle, { headers: { "content-type": "text/css; charset=utf-8" } }),
      {
        detail: { hide: true },
      },
    );
}
