import { billingRows, ownBillingRows } from "./billing-rows.ts";
import { collectionRows } from "./collection-rows.ts";
import { evalRows } from "./eval-rows.ts";
import { peopleRows } from "./people-rows.ts";
import {
  agentSpec,
  at,
  json,
  open,
  operatorRead,
  planInput,
  type RouteRow,
  tenantRead,
} from "./route-row.ts";

const agents = "/api/v1/agents";
const admin = "/api/v1/admin";

const publicRows: RouteRow[] = [
  open("GET /healthz"),
  open("GET /readyz"),
  open("GET /openapi.json"),
  open("GET /docs"),
  open("GET /docs/style.css"),
  {
    route: "POST /auth/register",
    plane: "public",
    request: (_, caller) => ({
      path: "/auth/register",
      body: { email: `${caller}@example.com`, password: "long enough", displayName: "Ann" },
    }),
    status: 201,
  },
  {
    route: "POST /auth/login",
    plane: "public",
    request: () => ({ path: "/auth/login", body: { email: "nobody@example.com", password: "long enough" } }),
    status: 401,
  },
  {
    route: "POST /auth/password",
    plane: "public",
    request: () => ({ path: "/auth/password", body: { token: "x".repeat(43), password: "long enough" } }),
    status: 404,
  },
  {
    route: "POST /auth/refresh",
    plane: "public",
    request: () => ({ path: "/auth/refresh", body: { refreshToken: "x".repeat(43) } }),
    status: 401,
  },
];

const agentRows: RouteRow[] = [
  {
    route: `POST ${agents}`,
    plane: "tenant",
    request: (_, caller) => ({ path: agents, body: agentSpec(`made-${caller}`), headers: json }),
    status: 201,
    foreign: "own",
  },
  {
    route: `POST ${agents}`,
    plane: "tenant",
    request: ({ subscription }, caller) => ({
      path: `${agents}?subscription_id=${subscription}`,
      body: agentSpec(`made-${caller}`),
      headers: json,
    }),
    status: 201,
    foreign: "missing",
  },
  tenantRead(agents, () => agents, "own"),
  tenantRead(`${agents}/:name`, ({ agent }) => `${agents}/${agent}`, "missing"),
  {
    route: `PUT ${agents}/:name`,
    plane: "tenant",
    request: ({ agent }) => ({ path: `${agents}/${agent}`, body: agentSpec(agent), headers: json }),
    status: 200,
    foreign: "missing",
  },
  {
    route: `DELETE ${agents}/:name`,
    plane: "tenant",
    request: at(({ agent }) => `${agents}/${agent}`),
    status: 204,
    foreign: "missing",
    once: true,
  },
  tenantRead("/api/v1/statement", () => "/api/v1/statement", "own"),
  tenantRead(`${agents}/:name/versions`, ({ agent }) => `${agents}/${agent}/versions`, "missing"),
  tenantRead(`${agents}/:name/versions/:number`, ({ agent }) => `${agents}/${agent}/versions/1`, "missing"),
  tenantRead(
    `${agents}/:name/versions/:number/diff/:other`,
    ({ agent }) => `${agents}/${agent}/versions/1/diff/1`,
    "missing",
  ),
  {
    route: `POST ${agents}/:name/versions/:number/restore`,
    plane: "tenant",
    request: at(({ agent }) => `${agents}/${agent}/versions/1/restore`),
    status: 201,
    foreign: "missing",
  },
  tenantRead(
    `${agents}/by-id/:id/versions`,
    ({ agentId }) => `${agents}/by-id/${agentId}/versions`,
    "missing",
  ),
  tenantRead(
    `${agents}/by-id/:id/versions/:number`,
    ({ agentId }) => `${agents}/by-id/${agentId}/versions/1`,
    "missing",
  ),
  {
    route: `POST ${agents}/:name/run`,
    plane: "tenant",
    request: ({ agent }) => ({ path: `${agents}/${agent}/run`, body: { query: "hi", session_id: "s" } }),
    status: 200,
    foreign: "missing",
  },
  {
    route: `POST ${agents}/:name/run`,
    plane: "tenant",
    request: ({ agent }) => ({
      path: `${agents}/${agent}/run`,
      body: { query: "hi" },
      headers: { accept: "text/event-stream" },
    }),
    status: 200,
    foreign: "missing",
  },
  {
    route: `GET ${agents}/:name/run/stream`,
    plane: "tenant",
    request: at(({ agent }) => `${agents}/${agent}/run/stream?query=hi&session_id=s`),
    status: 101,
    foreign: "missing",
    socket: true,
  },
  {
    route: "POST /api/v1/try",
    plane: "tenant",
    request: (_, caller) => ({
      path: "/api/v1/try",
      body: { spec: agentSpec(`tried-${caller}`), query: "hi" },
    }),
    status: 200,
    foreign: "own",
  },
  {
    route: `POST ${agents}/:name/stream-ticket`,
    plane: "tenant",
    request: ({ agent }) => ({ path: `${agents}/${agent}/stream-ticket`, body: {} }),
    status: 200,
    foreign: "missing",
  },
];

const tenantRows: RouteRow[] = [
  tenantRead(`${agents}/:name/status`, ({ agent }) => `${agents}/${agent}/status`, "missing"),
  tenantRead(`${agents}/:name/status`, ({ deletedAgent }) => `${agents}/${deletedAgent}/status`, "missing"),
  tenantRead(`${agents}/:name/logs`, ({ agent }) => `${agents}/${agent}/logs`, "missing"),
  tenantRead(`${agents}/:name/metrics`, ({ agent }) => `${agents}/${agent}/metrics`, "missing"),
  tenantRead(
    `${agents}/:name/invocations/:id`,
    ({ agent, invocation }) => `${agents}/${agent}/invocations/${invocation}`,
    "missing",
  ),
  tenantRead(
    `${agents}/:name/invocations/:id/trace`,
    ({ agent, invocation }) => `${agents}/${agent}/invocations/${invocation}/trace`,
    "missing",
  ),
  tenantRead("/api/v1/invocations", () => "/api/v1/invocations", "own"),
  ...["feedback", "feedback/channel"].flatMap((kind): RouteRow[] => {
    const path = at(({ invocation }) => `/api/v1/invocations/${invocation}/${kind}`);
    const body =
      kind === "feedback"
        ? { rating: "down", label: "tone" }
        : { rating: "up", channel: "phone_messenger", emoji: "👍", at: "2026-01-31T12:00:00Z" };
    const row = { plane: "tenant", foreign: "missing" } as const;
    const route = `/api/v1/invocations/:id/${kind}`;
    return [
      {
        ...row,
        route: `PUT ${route}`,
        request: (things) => ({ ...path(things), body }),
        status: 200,
      },
      { ...row, route: `DELETE ${route}`, request: path, status: 204, once: true },
    ];
  }),
  {
    route: "POST /api/v1/sessions/forget",
    plane: "tenant",
    request: () => ({ path: "/api/v1/sessions/forget", body: { session_id: "of-nobody" } }),
    status: 200,
    foreign: "own",
  },
  tenantRead("/api/v1/usage", () => "/api/v1/usage", "own"),
  tenantRead("/api/v1/usage/days", () => "/api/v1/usage/days", "own"),
  tenantRead("/api/v1/catalog", () => "/api/v1/catalog", "own"),
  ...collectionRows,
  tenantRead("/api/v1/connections", () => "/api/v1/connections", "own"),
  {
    route: "PUT /api/v1/connections/:name",
    plane: "tenant",
    request: ({ connection }) => ({
      path: `/api/v1/connections/${connection}`,
      body: { base_url: "https://erp.example.com", material: { token: "t" } },
    }),
    status: 200,
    foreign: "own",
  },
  {
    route: "DELETE /api/v1/connections/:name",
    plane: "tenant",
    request: at(({ connection }) => `/api/v1/connections/${connection}`),
    status: 204,
    foreign: "missing",
    once: true,
  },
  ...evalRows,
  tenantRead("/api/v1/approvals", () => "/api/v1/approvals", "own"),
  ...["approve", "reject"].map(
    (verdict): RouteRow => ({
      route: `POST /api/v1/approvals/:id/${verdict}`,
      plane: "tenant",
      request: ({ approval }) => ({ path: `/api/v1/approvals/${approval}/${verdict}`, body: {} }),
      status: 200,
      foreign: "missing",
      once: true,
    }),
  ),
  {
    route: "POST /api/v1/messages/send",
    plane: "tenant",
    request: () => ({
      path: "/api/v1/messages/send",
      body: { channel: "whatsapp", recipient: "+34600000000", text: "hi" },
    }),
    status: 202,
    foreign: "own",
  },
  {
    route: "POST /api/v1/runs/messages/send",
    plane: "run",
    request: () => ({
      path: "/api/v1/runs/messages/send",
      body: { channel: "whatsapp", recipient: "+34600000000", text: "hi" },
    }),
    status: 202,
  },
  tenantRead("/api/v1/subscriptions", () => "/api/v1/subscriptions?argo=legal", "missing"),
  {
    route: "POST /api/v1/usage/events",
    plane: "tenant",
    request: ({ subscription }, caller) => ({
      path: "/api/v1/usage/events",
      body: {
        event_id: caller,
        subscription_id: subscription,
        unidad: "legal.case",
        cantidad: 1,
        ocurrido_en: "2026-03-10T12:00:00Z",
      },
    }),
    status: 201,
    foreign: "missing",
  },
];

const operatorRows: RouteRow[] = [
  operatorRead("/metrics", () => "/metrics"),
  operatorRead(`${admin}/usage`, () => `${admin}/usage`),
  operatorRead(`${admin}/tenants`, () => `${admin}/tenants`),
  operatorRead(`${admin}/tenant-names`, () => `${admin}/tenant-names`),
  operatorRead(`${admin}/models`, () => `${admin}/models`),
  operatorRead(`${admin}/tenants/:id`, ({ tenant }) => `${admin}/tenants/${tenant}`),
  operatorRead(`${admin}/agents`, () => `${admin}/agents`),
  operatorRead(`${admin}/invocations`, ({ tenant }) => `${admin}/invocations?tenant_id=${tenant}`),
  operatorRead(`${admin}/invocations/:id`, ({ invocation }) => `${admin}/invocations/${invocation}`),
  operatorRead(
    `${admin}/invocations/:id/trace`,
    ({ invocation }) => `${admin}/invocations/${invocation}/trace`,
  ),
  operatorRead(`${admin}/audit`, () => `${admin}/audit`),
  operatorRead(`${admin}/tariffs`, () => `${admin}/tariffs`),
  operatorRead(`${admin}/plans`, () => `${admin}/plans`),
  operatorRead(`${admin}/subscriptions`, ({ tenant }) => `${admin}/subscriptions?tenant_id=${tenant}`),
  operatorRead(`${admin}/subscriptions/:id`, ({ subscription }) => `${admin}/subscriptions/${subscription}`),
  operatorRead(`${admin}/tenants/:id/statement`, ({ tenant }) => `${admin}/tenants/${tenant}/statement`),
  operatorRead(
    `${admin}/tenants/:id/statement.csv`,
    ({ tenant }) => `${admin}/tenants/${tenant}/statement.csv`,
  ),
  operatorRead(
    `${admin}/tenants/:id/statement.html`,
    ({ tenant }) => `${admin}/tenants/${tenant}/statement.html`,
  ),
  operatorRead(`${admin}/billing-periods`, () => `${admin}/billing-periods`),
  operatorRead(`${admin}/billing-periods/overdue`, () => `${admin}/billing-periods/overdue`),
  {
    route: `POST ${admin}/billing-periods/:id/facturado`,
    plane: "operator",
    request: at(({ period }) => `${admin}/billing-periods/${period}/facturado`),
    status: 200,
    once: true,
  },
  {
    route: `POST ${admin}/password-links`,
    plane: "operator",
    request: ({ person }) => ({ path: `${admin}/password-links`, body: { email: person } }),
    status: 201,
  },
  operatorRead(`${admin}/email-changes`, () => `${admin}/email-changes`),
  {
    route: `POST ${admin}/email-changes/:user/link`,
    plane: "operator",
    request: ({ member }) => ({ path: `${admin}/email-changes/${member}/link` }),
    status: 201,
  },
  {
    route: `POST ${admin}/password-reset`,
    plane: "operator",
    request: ({ person }) => ({ path: `${admin}/password-reset`, body: { email: person } }),
    status: 200,
  },
  {
    route: `POST ${admin}/tariffs`,
    plane: "operator",
    request: (_, caller) => ({
      path: `${admin}/tariffs`,
      body: { provider: "lab", model: caller, credits_per_1k_in_micros: 1, credits_per_1k_out_micros: 1 },
    }),
    status: 201,
  },
  {
    route: `POST ${admin}/plans`,
    plane: "operator",
    request: (_, caller) => ({ path: `${admin}/plans`, body: planInput(caller) }),
    status: 201,
  },
  {
    route: `PUT ${admin}/tenants/:id/plan`,
    plane: "operator",
    request: ({ tenant }) => ({ path: `${admin}/tenants/${tenant}/plan`, body: { plan_id: "unlimited" } }),
    status: 200,
  },
  {
    route: `POST ${admin}/tariffs/rerate`,
    plane: "operator",
    request: ({ tenant }) => ({
      path: `${admin}/tariffs/rerate`,
      body: { tenant_id: tenant, dry_run: true },
    }),
    status: 200,
  },
  {
    route: `POST ${admin}/subscriptions`,
    plane: "operator",
    request: ({ tenant }) => ({
      path: `${admin}/subscriptions`,
      body: { tenant_id: tenant, argo_code: "tax", plan_id: "tax", desde: "2026-03-10" },
    }),
    status: 201,
    once: true,
  },
  {
    route: `POST ${admin}/subscriptions/preview`,
    plane: "operator",
    request: ({ tenant }) => ({
      path: `${admin}/subscriptions/preview`,
      body: { tenant_id: tenant, argo_code: "tax", plan_id: "tax", desde: "2026-03-10" },
    }),
    status: 200,
  },
  {
    route: `PUT ${admin}/subscriptions/:id/plan`,
    plane: "operator",
    request: ({ subscription }) => ({
      path: `${admin}/subscriptions/${subscription}/plan`,
      body: { plan_id: "legal-2" },
    }),
    status: 200,
  },
  {
    route: `POST ${admin}/subscriptions/:id/cancel`,
    plane: "operator",
    request: at(({ subscription }) => `${admin}/subscriptions/${subscription}/cancel`),
    status: 200,
    once: true,
  },
];

/** One or more rows for each route of the platform: a route without one fails the isolation matrix. */
export const routeRows: readonly RouteRow[] = [
  ...publicRows,
  ...peopleRows,
  ...agentRows,
  ...tenantRows,
  ...ownBillingRows,
  ...operatorRows,
  ...billingRows,
];
