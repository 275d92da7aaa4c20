import { describe, expect, test } from "bun:test";
import { asA, asAdmin, asB, asSender, startGateway } from "../../support/gateway.ts";
import { sqliteEngine } from "../../support/storage-engines.ts";

type Plane = "tenant" | "sender" | "admin";

const routes: [method: string, path: string, plane: Plane, body?: object][] = [
  ["POST", "/api/v1/messages/send", "tenant", { channel: "echo", recipient: "1", text: "x" }],
  ["GET", "/api/v1/messages/0", "tenant"],
  [
    "POST",
    "/api/v1/messages/send-on-behalf",
    "sender",
    { tenant_id: "a", channel: "echo", recipient: "1", text: "x" },
  ],
  ["GET", "/api/v1/identities/resolve?tenant_id=a&channel=echo&phone=1", "sender"],
  ["PUT", "/api/v1/storage/limits", "sender", { tenants: [] }],
  ["POST", "/admin/accounts", "admin", { tenant_id: "a", channel: "echo", external_id: "e" }],
  ["GET", "/admin/accounts?tenant_id=a", "admin"],
  ["GET", "/admin/accounts/0", "admin"],
  ["POST", "/admin/accounts/0/pause", "admin"],
  ["POST", "/admin/accounts/0/resume", "admin"],
  ["GET", "/admin/accounts/0/webhook", "admin"],
  ["GET", "/admin/directory", "admin"],
  ["GET", "/admin/directory/0", "admin"],
  ["GET", "/admin/setup", "admin"],
  // A tenant that is none, so that no stream opens.
  ["GET", "/admin/events?tenant=a%20b", "admin"],
  ["DELETE", "/admin/accounts/0", "admin"],
  ["POST", "/admin/bindings", "admin", { tenant_id: "a", account_id: "0" }],
  ["GET", "/admin/bindings?tenant_id=a", "admin"],
  ["GET", "/admin/bindings/0", "admin"],
  ["PUT", "/admin/bindings/0", "admin", {}],
  ["DELETE", "/admin/bindings/0", "admin"],
  ["GET", "/admin/stats", "admin"],
  ["GET", "/admin/contacts", "admin"],
  ["GET", "/admin/contacts/0", "admin"],
  ["DELETE", "/admin/contacts/0", "admin"],
  ["GET", "/admin/conversations", "admin"],
  ["GET", "/admin/conversations/0", "admin"],
  ["POST", "/admin/conversations/0/seen", "admin"],
  ["POST", "/admin/conversations/0/unseen", "admin"],
  ["GET", "/admin/conversations/0/messages", "admin"],
  ["POST", "/admin/conversations/0/takeover", "admin"],
  ["POST", "/admin/conversations/0/release", "admin"],
  ["GET", "/admin/conversations/0/entries", "admin"],
  ["POST", "/admin/conversations/0/note", "admin", { text: "x" }],
  ["POST", "/admin/conversations/0/assign", "admin", { assignee: "ana" }],
  ["POST", "/admin/conversations/0/label", "admin", { labels: ["vip"] }],
  ["POST", "/admin/conversations/0/snooze", "admin", { until: "2999-01-01T00:00:00Z" }],
  ["POST", "/admin/conversations/0/resolve", "admin"],
  ["POST", "/admin/conversations/0/reopen", "admin"],
  ["GET", "/admin/canned?tenant=a", "admin"],
  ["POST", "/admin/canned", "admin", { tenant_id: "a", name: "hi", text: "x" }],
  ["DELETE", "/admin/canned/0", "admin"],
  ["GET", "/admin/inbound", "admin"],
  ["POST", "/admin/inbound/0/retry", "admin"],
  ["GET", "/admin/outbox", "admin"],
  ["POST", "/admin/outbox/0/retry", "admin"],
  ["POST", "/admin/send", "admin", { tenant_id: "a", channel: "echo", recipient: "1", text: "x" }],
  ["GET", "/admin/reports", "admin"],
  ["GET", "/admin/reports/csv", "admin"],
  ["GET", "/admin/metrics", "admin"],
  ["GET", "/admin/media/0", "admin"],
  ["POST", "/admin/media?tenant_id=a", "admin"],
  ["GET", "/api/v1/media/0", "tenant"],
  ["POST", "/api/v1/media", "tenant"],
  ["GET", "/admin/templates?account_id=0", "admin"],
  ["GET", "/admin/emulator/outbox", "admin"],
  ["POST", "/admin/emulator/faults", "admin"],
  ["POST", "/admin/emulator/receipts", "admin"],
  ["POST", "/admin/emulator/reactions", "admin"],
  ["GET", "/admin/messages/0/trail", "admin"],
  ["POST", "/admin/emulator/inbound", "admin", { desde: "1", texto: "x" }],
  ["POST", "/admin/webchat/inbound", "admin", { cuenta: "shop", visitante: "ana", texto: "x" }],
  ["GET", "/admin/webchat/hilo?cuenta=shop&visitante=ana", "admin"],
  ["GET", "/admin/webchat/sites/0", "admin"],
  ["PUT", "/admin/webchat/sites/0", "admin", { origins: [] }],
];

/** As objects: a row without a body would be given the test's `done` in its place. */
const named = routes.map(([method, path, plane, body]) => ({ method, path, plane, body }));

const headersOf: Record<Plane, Record<string, string>> = { tenant: asA, sender: asSender, admin: asAdmin };

describe("each route takes the credential of its plane alone", () => {
  test.each(named)("$method $path", async ({ method, path, plane, body }) => {
    await using gateway = await startGateway(sqliteEngine);
    const call = async (headers: Record<string, string>) =>
      (await gateway.call(method, path, { headers, ...(body && { body }) })).status;
    const values = Object.values({ ...asA, ...asSender, ...asAdmin });
    const names = Object.keys({ ...asA, ...asSender, ...asAdmin });
    expect(await call({})).toBe(401);
    for (const name of names) {
      for (const value of [...values, "", "•••", "x".repeat(4000)]) {
        if (headersOf[plane][name] === value) continue;
        expect({ name, status: await call({ [name]: encodeURI(value) }) }).toEqual({ name, status: 401 });
      }
    }
    expect(await call(headersOf[plane])).not.toBe(401);
  });
});

describe("the routes of a credential that is not configured don't exist", () => {
  test.each(named)("$method $path", async ({ method, path, plane, body }) => {
    const all = {
      sendKeys: [{ tenantId: "a", key: "k" }],
      trustedSenderKey: "s".repeat(32),
      adminToken: "t".repeat(32),
    };
    const absent = {
      tenant: { sendKeys: [] },
      sender: { trustedSenderKey: undefined },
      admin: { adminToken: undefined },
    };
    await using gateway = await startGateway(sqliteEngine, (deps) => ({
      ...deps,
      credentials: { ...all, ...absent[plane] },
    }));
    const headers = { ...asA, ...asSender, ...asAdmin };
    const answer = await gateway.call(method, path, { headers, ...(body && { body }) });
    expect(answer.status).toBe(404);
    expect(Object.keys(answer.body)).toEqual(["error"]);
  });
});

test("every route of the app is in the table above", async () => {
  await using gateway = await startGateway(sqliteEngine);
  const document = (await gateway.call("GET", "/openapi.json")).body;
  const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map(
      (method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, "0")}`,
    ),
  );
  const own = ["GET /healthz", "GET /readyz", "GET /openapi.json"];
  // Their credential is a visitor's token, which webchat-visitor.test.ts tries.
  const ofVisitors = ["POST session", "GET messages", "POST messages", "POST ratings", "GET stream"].map(
    (route) => route.replace(" ", " /webchat/0/"),
  );
  const tested = routes.map(([method, path]) => `${method} ${path.split("?")[0]}`);
  // Its credential is in its address, which media.test.ts tries.
  const ofLinks = ["GET /files/0"];
  const isSigned = (route: string) => route.includes(" /webhooks/");
  const ofOthers = (route: string) => [...own, ...ofVisitors, ...ofLinks].includes(route) || isSigned(route);
  expect(listed.filter((route) => !ofOthers(route)).sort()).toEqual(tested.sort());
});

test("without credentials the gateway answers its health check, and its API is 404", async () => {
  await using gateway = await startGateway(sqliteEngine, (deps) => ({
    ...deps,
    credentials: { sendKeys: [] },
  }));
  expect((await gateway.call("GET", "/healthz")).status).toBe(200);
  expect((await gateway.call("GET", "/admin/stats", { headers: asB })).status).toBe(404);
});
