import { at, operatorRead, type RouteRow, tenantRead } from "./route-row.ts";

const admin = "/api/v1/admin";
const webhook = { url: "https://hooks.example.com/x", events: ["credits.80"] };

/** Routes of a tenant's own grants, invoices and notices. */
export const ownBillingRows: RouteRow[] = [
  tenantRead("/api/v1/webhooks", () => "/api/v1/webhooks", "own"),
  {
    route: "POST /api/v1/webhooks",
    plane: "tenant",
    request: () => ({ path: "/api/v1/webhooks", body: webhook }),
    status: 201,
    foreign: "own",
  },
  {
    route: "DELETE /api/v1/webhooks/:id",
    plane: "tenant",
    request: at(({ webhook: id }) => `/api/v1/webhooks/${id}`),
    status: 204,
    foreign: "missing",
    once: true,
  },
  tenantRead(
    "/api/v1/webhooks/:id/deliveries",
    ({ webhook: id }) => `/api/v1/webhooks/${id}/deliveries`,
    "missing",
  ),
  tenantRead("/api/v1/usage/attribution", () => "/api/v1/usage/attribution?by=key", "own"),
  tenantRead("/api/v1/actor", () => "/api/v1/actor", "own"),
  {
    route: "POST /api/v1/desk-notices",
    plane: "tenant",
    request: () => ({
      path: "/api/v1/desk-notices",
      body: { event: "desk.mention", occasion: "o1", conversation_id: "c1", channel: "echo" },
    }),
    status: 202,
    foreign: "own",
  },
  tenantRead("/api/v1/grants", () => "/api/v1/grants", "own"),
  tenantRead("/api/v1/invoices", () => "/api/v1/invoices", "own"),
  ...["", "/html", "/pdf"].map((form) =>
    tenantRead(
      `/api/v1/invoices/:id${form}`,
      ({ invoice }) => `/api/v1/invoices/${invoice}${form}`,
      "missing",
    ),
  ),
];

/** Operators' routes for grants, corrections, invoices and notices. */
export const billingRows: RouteRow[] = [
  operatorRead(`${admin}/tenants/:id/grants`, ({ tenant }) => `${admin}/tenants/${tenant}/grants`),
  {
    route: `POST ${admin}/tenants/:id/grants`,
    plane: "operator",
    request: ({ tenant }) => ({
      path: `${admin}/tenants/${tenant}/grants`,
      body: { credits_micros: 1, reason: "trial" },
    }),
    status: 201,
  },
  operatorRead(`${admin}/tenants/:id/adjustments`, ({ tenant }) => `${admin}/tenants/${tenant}/adjustments`),
  {
    route: `POST ${admin}/tenants/:id/adjustments`,
    plane: "operator",
    request: ({ tenant }) => ({
      path: `${admin}/tenants/${tenant}/adjustments`,
      body: { amount_micros: -1, reason: "refund" },
    }),
    status: 201,
  },
  operatorRead(
    `${admin}/subscriptions/:id/usage-events`,
    ({ subscription }) => `${admin}/subscriptions/${subscription}/usage-events`,
  ),
  {
    route: `POST ${admin}/subscriptions/:id/usage-events/void`,
    plane: "operator",
    request: ({ subscription, usageEvent }) => ({
      path: `${admin}/subscriptions/${subscription}/usage-events/void`,
      body: { event_id: usageEvent, reason: "wrong" },
    }),
    status: 200,
    once: true,
  },
  operatorRead(`${admin}/webhooks`, () => `${admin}/webhooks`),
  {
    route: `POST ${admin}/webhooks`,
    plane: "operator",
    request: () => ({ path: `${admin}/webhooks`, body: webhook }),
    status: 201,
  },
  {
    route: `DELETE ${admin}/webhooks/:id`,
    plane: "operator",
    request: at(({ operatorWebhook: id }) => `${admin}/webhooks/${id}`),
    status: 204,
    once: true,
  },
  operatorRead(
    `${admin}/webhooks/:id/deliveries`,
    ({ operatorWebhook: id }) => `${admin}/webhooks/${id}/deliveries`,
  ),
  operatorRead(`${admin}/usage/attribution`, () => `${admin}/usage/attribution?by=member`),
  operatorRead(`${admin}/revenue`, () => `${admin}/revenue?months=3`),
  operatorRead(`${admin}/invoice-settings`, () => `${admin}/invoice-settings`),
  {
    route: `PUT ${admin}/invoice-settings`,
    plane: "operator",
    request: () => ({
      path: `${admin}/invoice-settings`,
      body: {
        seller: { name: "S", address: "", tax_id: "", email: "", payment: "" },
        invoice_range: "I-",
        credit_note_range: "C-",
        due_days: 30,
      },
    }),
    status: 200,
  },
  operatorRead(
    `${admin}/tenants/:id/invoice-customer`,
    ({ tenant }) => `${admin}/tenants/${tenant}/invoice-customer`,
  ),
  {
    route: `PUT ${admin}/tenants/:id/invoice-customer`,
    plane: "operator",
    request: ({ tenant }) => ({
      path: `${admin}/tenants/${tenant}/invoice-customer`,
      body: {
        customer: { name: "C", address: "", tax_id: "", email: "" },
        taxes: [],
        due_days: null,
        note: "",
      },
    }),
    status: 200,
  },
  operatorRead(`${admin}/invoices`, () => `${admin}/invoices`),
  {
    route: `POST ${admin}/invoices`,
    plane: "operator",
    request: () => ({ path: `${admin}/invoices`, body: { period: "2026-01", tenant_ids: [] } }),
    status: 200,
  },
  {
    route: `POST ${admin}/invoices/paid`,
    plane: "operator",
    request: ({ invoice }) => ({ path: `${admin}/invoices/paid`, body: { ids: [invoice] } }),
    status: 200,
  },
  ...["", "/html", "/pdf"].map((form) =>
    operatorRead(`${admin}/invoices/:id${form}`, ({ invoice }) => `${admin}/invoices/${invoice}${form}`),
  ),
  {
    route: `POST ${admin}/invoices/:id/void`,
    plane: "operator",
    request: ({ openInvoice }) => ({
      path: `${admin}/invoices/${openInvoice}/void`,
      body: { reason: "wrong" },
    }),
    status: 200,
    once: true,
  },
  {
    route: `POST ${admin}/invoices/:id/credit-notes`,
    plane: "operator",
    request: ({ invoice }) => ({
      path: `${admin}/invoices/${invoice}/credit-notes`,
      body: { net_micros: 10_000, reason: "outage" },
    }),
    status: 201,
  },
];
