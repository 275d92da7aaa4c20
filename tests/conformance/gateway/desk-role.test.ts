import { expect, test } from "bun:test";
import { gatewayAdminClient } from "../../../src/contracts/gateway/client.ts";
import type { MemberRole } from "../../../src/contracts/platform/members.ts";
import {
  adminToken,
  asAdmin,
  memberOf,
  processAll,
  startGateway,
  type TestGateway,
} from "../../support/gateway.ts";
import { onEachEngine, sqliteEngine } from "../../support/storage-engines.ts";

/** What a tenant has. */
interface Things {
  tenant: string;
  account: string;
  conversation: string;
  contact: string;
  /** A message that failed. */
  message: string;
  media: string;
  canned: string;
}

interface DeskRoute {
  path: (things: Things) => string;
  body?: (things: Things) => object | Uint8Array<ArrayBuffer>;
  /** The least role; the route is about the own tenant alone. */
  least: MemberRole;
  /** The answer is the same for all tenants. */
  isShared?: true;
}

const desk = (path: DeskRoute["path"], body?: DeskRoute["body"]): DeskRoute => ({
  path,
  ...(body && { body }),
  least: "desk",
});
const conversation = (rest: string, body?: object): DeskRoute =>
  desk(({ conversation }) => `/admin/conversations/${conversation}${rest}`, body && (() => body));

/** Whether people and keys of a tenant may use a route of the gateway. `never`: it takes another credential. A new route needs a row. */
const routes: Readonly<Record<string, DeskRoute | "never">> = {
  "GET /healthz": "never",
  "GET /readyz": "never",
  "GET /openapi.json": "never",
  "GET /files/:token": "never",
  "GET /webhooks/:channel": "never",
  "POST /webhooks/:channel": "never",
  "GET /webhooks/:channel/:account": "never",
  "POST /webhooks/:channel/:account": "never",
  "POST /webchat/:account/session": "never",
  "GET /webchat/:account/messages": "never",
  "POST /webchat/:account/messages": "never",
  "POST /webchat/:account/ratings": "never",
  "GET /webchat/:account/stream": "never",
  "POST /api/v1/messages/send": "never",
  "GET /api/v1/messages/:id": "never",
  "POST /api/v1/messages/send-on-behalf": "never",
  "GET /api/v1/identities/resolve": "never",
  "PUT /api/v1/storage/limits": "never",
  "GET /api/v1/media/:id": "never",
  "POST /api/v1/media": "never",
  "POST /admin/accounts": "never",
  "GET /admin/accounts": "never",
  "GET /admin/accounts/:id": "never",
  "POST /admin/accounts/:id/pause": "never",
  "POST /admin/accounts/:id/resume": "never",
  "DELETE /admin/accounts/:id": "never",
  "GET /admin/accounts/:id/webhook": "never",
  "POST /admin/bindings": "never",
  "GET /admin/bindings": "never",
  "GET /admin/bindings/:id": "never",
  "PUT /admin/bindings/:id": "never",
  "DELETE /admin/bindings/:id": "never",
  "GET /admin/stats": "never",
  "GET /admin/inbound": "never",
  "POST /admin/inbound/:id/retry": "never",
  "GET /admin/metrics": "never",
  "GET /admin/emulator/outbox": "never",
  "POST /admin/emulator/faults": "never",
  "POST /admin/emulator/receipts": "never",
  "POST /admin/emulator/reactions": "never",
  "POST /admin/emulator/inbound": "never",
  "POST /admin/webchat/inbound": "never",
  "GET /admin/webchat/hilo": "never",
  "GET /admin/webchat/sites/:account": "never",
  "PUT /admin/webchat/sites/:account": "never",
  // It names nothing of a tenant.
  "GET /admin/setup": { ...desk(() => "/admin/setup"), isShared: true },
  "GET /admin/directory": desk(({ tenant }) => `/admin/directory?tenant=${tenant}`),
  "GET /admin/directory/:id": desk(({ account }) => `/admin/directory/${account}`),
  "GET /admin/events": desk(({ tenant }) => `/admin/events?tenant=${tenant}`),
  "GET /admin/contacts": desk(({ tenant }) => `/admin/contacts?tenant=${tenant}`),
  "GET /admin/contacts/:id": desk(({ contact }) => `/admin/contacts/${contact}`),
  "GET /admin/conversations": desk(({ tenant }) => `/admin/conversations?tenant=${tenant}`),
  "GET /admin/conversations/:id": conversation(""),
  "POST /admin/conversations/:id/seen": conversation("/seen"),
  "POST /admin/conversations/:id/unseen": conversation("/unseen"),
  "GET /admin/conversations/:id/messages": conversation("/messages"),
  "POST /admin/conversations/:id/takeover": conversation("/takeover"),
  "POST /admin/conversations/:id/release": conversation("/release"),
  "GET /admin/conversations/:id/entries": conversation("/entries"),
  "POST /admin/conversations/:id/note": conversation("/note", { text: "x" }),
  "POST /admin/conversations/:id/assign": conversation("/assign", { assignee: "ana" }),
  "POST /admin/conversations/:id/label": conversation("/label", { labels: ["vip"] }),
  "POST /admin/conversations/:id/snooze": conversation("/snooze", { until: "2999-01-01T00:00:00Z" }),
  "POST /admin/conversations/:id/resolve": conversation("/resolve"),
  "POST /admin/conversations/:id/reopen": conversation("/reopen"),
  "GET /admin/canned": desk(({ tenant }) => `/admin/canned?tenant=${tenant}`),
  "POST /admin/canned": desk(
    () => "/admin/canned",
    ({ tenant }) => ({ tenant_id: tenant, name: "bye", text: "Bye" }),
  ),
  "GET /admin/outbox": desk(({ tenant }) => `/admin/outbox?tenant=${tenant}`),
  "POST /admin/outbox/:id/retry": desk(({ message }) => `/admin/outbox/${message}/retry`),
  "GET /admin/messages/:id/trail": desk(
    ({ message, tenant }) => `/admin/messages/${message}/trail?tenant=${tenant}`,
  ),
  "GET /admin/reports": desk(({ tenant }) => `/admin/reports?tenant=${tenant}`),
  "GET /admin/reports/csv": desk(({ tenant }) => `/admin/reports/csv?tenant=${tenant}`),
  "GET /admin/templates": desk(({ account }) => `/admin/templates?account_id=${account}`),
  "POST /admin/send": desk(
    () => "/admin/send",
    ({ tenant, conversation }) => ({ tenant_id: tenant, conversation_ref: conversation, text: "x" }),
  ),
  "GET /admin/media/:id": desk(({ media }) => `/admin/media/${media}`),
  "POST /admin/media": desk(
    ({ tenant }) => `/admin/media?tenant_id=${tenant}`,
    () => new TextEncoder().encode("file"),
  ),
  "DELETE /admin/canned/:id": desk(({ canned }) => `/admin/canned/${canned}`),
  // The last, because nothing of the conversation is left after it.
  "DELETE /admin/contacts/:id": { ...desk(({ contact }) => `/admin/contacts/${contact}`), least: "admin" },
};

const rows = Object.entries(routes).map(([route, use]) => ({
  route,
  method: route.split(" ")[0] ?? "",
  use,
}));
const deskRows = rows.flatMap(({ use, ...row }) => (use === "never" ? [] : [{ ...row, ...use }]));

async function thingsOf(gateway: TestGateway, tenant: string): Promise<Things> {
  const address = { fetch: (request: Request) => fetch(request), baseUrl: gateway.url };
  const client = gatewayAdminClient(address, adminToken);
  const { id: account } = await client.saveAccount({
    tenant_id: tenant,
    channel: "phone_messenger",
    external_id: `PN-${tenant}`,
    credentials: { access_token: "EAAG-access-token-7890" },
    emulated: true,
  });
  const config = { platform_api_key: `apk_test-key-${tenant}` };
  await client.createBinding({ tenant_id: tenant, account_id: account, entry_agent: "support", config });
  await client.emulateInbound({ cuenta: `PN-${tenant}`, desde: "+34600111222", texto: "hola" });
  await processAll(gateway);
  const [talk] = (await client.listConversations({ tenant })).conversations;
  const conversation = talk?.id ?? "";
  const bytes = new TextEncoder().encode(`file of ${tenant}`);
  const canned = await client.saveCanned({ tenant_id: tenant, name: "hi", text: "Hello" });
  const sent = await client.send({ tenant_id: tenant, conversation_ref: conversation, text: "late" });
  const { storage } = gateway.deps;
  await storage.transact((tx) =>
    tx.update(storage.tables.outbox).set({ status: "failed", lane: null, lastError: "x" }),
  );
  return {
    tenant,
    account,
    conversation,
    contact: talk?.contact_id ?? "",
    message: sent.message_id,
    media: (await client.uploadMedia({ bytes, tenantId: tenant })).id,
    canned: canned.id,
  };
}

const ask = async (
  gateway: TestGateway,
  row: (typeof deskRows)[number],
  things: Things,
  headers: Record<string, string>,
) => {
  const body = row.body?.(things);
  const isFile = body instanceof Uint8Array;
  const response = await fetch(`${gateway.url}${row.path(things)}`, {
    method: row.method,
    headers: {
      ...(body !== undefined && { "content-type": isFile ? "application/octet-stream" : "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: isFile ? body : JSON.stringify(body) }),
  });
  // A stream would not end.
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  if (isStream) await response.body?.cancel();
  return { status: response.status, text: isStream ? "" : await response.text() };
};

const signedIn = (token: string, tenantId: string) => ({
  authorization: `Bearer ${token}`,
  "x-tenant-id": tenantId,
});

test("every route of the gateway says whether a tenant's desk may use it", async () => {
  await using gateway = await startGateway(sqliteEngine);
  const { paths } = (await gateway.call("GET", "/openapi.json")).body;
  const listed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map(
      (method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`,
    ),
  );
  const plain = (route: string) => route.replace(/:\w+/g, ":x");
  expect([...new Set(rows.map(({ route }) => plain(route)))].sort()).toEqual(
    [...new Set(listed.map(plain))].sort(),
  );
});

onEachEngine("the desk of a tenant", (engine) => {
  test("uses its routes for its own things; another tenant's are 404, and a viewer is 403", async () => {
    await using gateway = await startGateway(engine);
    const [own, other] = [await thingsOf(gateway, "a"), await thingsOf(gateway, "b")];
    gateway.members.set("viewer", memberOf("a", "viewer", "vera"));
    gateway.members.set("desk", memberOf("a", "desk", "dora"));
    gateway.members.set("admin", memberOf("a", "admin", "adam"));
    gateway.members.set("apk_a", { ...memberOf("a", "owner"), role: null });
    for (const row of deskRows) {
      const seen = async (things: Things, headers: Record<string, string>) => {
        const { status, text } = await ask(gateway, row, things, headers);
        return `${row.route}: ${status}${status < 400 ? "" : ` ${text}`}`;
      };
      const ofOther = row.isShared === true ? 200 : 404;
      expect(await seen(other, signedIn("admin", "a"))).toStartWith(`${row.route}: ${ofOther}`);
      expect(await seen(other, { "x-api-key": "apk_a" })).toStartWith(`${row.route}: ${ofOther}`);
      expect(await seen(own, signedIn("admin", "b"))).toStartWith(`${row.route}: 404`);
      expect(await seen(own, signedIn("viewer", "a"))).toStartWith(`${row.route}: 403`);
      expect(await seen(own, signedIn("nobody", "a"))).toStartWith(`${row.route}: 401`);
      if (row.least === "admin") {
        expect(await seen(own, signedIn("desk", "a"))).toStartWith(`${row.route}: 403`);
      }
      const as = row.least === "admin" ? "admin" : "desk";
      expect(await seen(own, signedIn(as, "a"))).toMatch(/: 20[0-2]$/);
    }
    // Nothing of the other tenant was changed.
    const kept = await gateway.call("GET", `/admin/conversations/${other.conversation}/entries`, {
      headers: asAdmin,
    });
    expect(kept.body).toEqual({ entries: [] });
  });

  test("is 401 on every other route", async () => {
    await using gateway = await startGateway(engine);
    gateway.members.set("owner", memberOf("a", "owner", "olga"));
    const others = rows.filter(({ route, use }) => use === "never" && / \/(admin|api)\//.test(route));
    expect(others.length).toBeGreaterThan(20);
    for (const { route, method } of others) {
      const path = route.split(" ")[1]?.replace(/:\w+/g, "0") ?? "";
      const { status } = await gateway.call(method, path, { headers: signedIn("owner", "a") });
      expect(`${route}: ${status}`).toBe(`${route}: 401`);
    }
  });

  test("sees its own tenant in lists, under its own name", async () => {
    await using gateway = await startGateway(engine);
    const [own] = [await thingsOf(gateway, "a"), await thingsOf(gateway, "b")];
    gateway.members.set("desk", memberOf("a", "desk", "Dora Díaz"));
    const address = { fetch: (request: Request) => fetch(request), baseUrl: gateway.url };
    const dora = gatewayAdminClient(address, { accessToken: "desk", tenantId: "a" });
    const tenants = [
      (await dora.listConversations()).conversations,
      (await dora.listContacts()).contacts,
      (await dora.listOutbox()).entries,
      (await dora.directory()).entries.map(({ account }) => account),
    ].map((list) => [...new Set(list.map(({ tenant_id }) => tenant_id))]);
    expect(tenants).toEqual([["a"], ["a"], ["a"], ["a"]]);
    expect((await dora.report()).tenant_id).toBe("a");
    expect(await dora.addNote(own.conversation, "hi")).toMatchObject({ by: "Dora Díaz" });
    const other = gatewayAdminClient(address, { accessToken: "desk", tenantId: "a" }, "Boss");
    expect(other.addNote(own.conversation, "hi")).rejects.toMatchObject({ kind: "invalid" });
    // A program names the person for whom it acts.
    gateway.members.set("apk_a", { ...memberOf("a", "owner"), role: null });
    const program = gatewayAdminClient(address, { apiKey: "apk_a" }, "Eva");
    expect(await program.addNote(own.conversation, "hi")).toMatchObject({ by: "Eva" });
  });

  test("gets no more events once its role is taken away", async () => {
    await using gateway = await startGateway(engine);
    gateway.members.set("desk", memberOf("a", "desk", "dora"));
    const address = { fetch: (request: Request) => fetch(request), baseUrl: gateway.url };
    const events = gatewayAdminClient(address, { accessToken: "desk", tenantId: "a" }).events();
    expect((await events.next()).value).toMatchObject({ about: "stream" });
    gateway.deps.feed.publish({ about: "account", change: "saved", tenant_id: "b" });
    gateway.deps.feed.publish({ about: "account", change: "saved", tenant_id: "a" });
    expect((await events.next()).value).toMatchObject({ about: "account", tenant_id: "a" });
    gateway.members.set("desk", memberOf("a", "viewer", "dora"));
    await gateway.clock.advance(30_000);
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });
});
