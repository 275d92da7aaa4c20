import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type MemberRole, memberRoles } from "../../../src/contracts/platform/members.ts";
import { onEachEngine, sqliteEngine } from "../../support/storage-engines.ts";
import { askRoute } from "./ask-route.ts";
import {
  addWorld,
  type MatrixPlatform,
  type MatrixWorld,
  startMatrix,
  startMatrixPlatform,
} from "./matrix-world.ts";
import { routeRows } from "./route-rows.ts";

/** The least role that each route needs. `own`: the route acts on the person's own things, whatever their role in a tenant. */
const needed: Record<string, MemberRole | "own"> = {
  "GET /api/v1/me": "own",
  "POST /auth/logout": "own",
  "POST /api/v1/me/password": "own",
  "POST /api/v1/me/email": "own",
  "POST /api/v1/me/email/confirm": "own",
  "GET /api/v1/me/sessions": "own",
  "DELETE /api/v1/me/sessions": "own",
  "DELETE /api/v1/me/sessions/:session": "own",
  "DELETE /api/v1/me": "own",
  "GET /api/v1/tenants": "own",
  "POST /api/v1/tenants": "own",
  "PATCH /api/v1/tenants/:id": "admin",
  "DELETE /api/v1/tenants/:id": "owner",
  "POST /api/v1/tenants/:id/keys": "admin",
  "GET /api/v1/tenants/:id/keys": "viewer",
  "DELETE /api/v1/tenants/:id/keys/:hash": "admin",
  "GET /api/v1/tenants/:id/members": "viewer",
  "PATCH /api/v1/tenants/:id/members/:user": "admin",
  "DELETE /api/v1/tenants/:id/members/:user": "admin",
  "GET /api/v1/tenants/:id/invitations": "admin",
  "POST /api/v1/tenants/:id/invitations": "admin",
  "DELETE /api/v1/tenants/:id/invitations/:invitation": "admin",
  "POST /api/v1/invitations/accept": "own",
  "POST /api/v1/agents": "member",
  "GET /api/v1/agents": "viewer",
  "GET /api/v1/agents/:name": "viewer",
  "PUT /api/v1/agents/:name": "member",
  "DELETE /api/v1/agents/:name": "member",
  "GET /api/v1/evals": "viewer",
  "GET /api/v1/evals/:name": "viewer",
  "PUT /api/v1/evals/:name": "member",
  "DELETE /api/v1/evals/:name": "member",
  "POST /api/v1/evals/:name/runs": "member",
  "GET /api/v1/eval-runs": "viewer",
  "GET /api/v1/eval-runs/:id": "viewer",
  "GET /api/v1/eval-runs/:id/results": "viewer",
  "POST /api/v1/eval-runs/:id/cancel": "member",
  "GET /api/v1/statement": "viewer",
  "GET /api/v1/usage/attribution": "viewer",
  "GET /api/v1/grants": "viewer",
  "GET /api/v1/actor": "viewer",
  "POST /api/v1/desk-notices": "member",
  "GET /api/v1/webhooks": "viewer",
  "POST /api/v1/webhooks": "admin",
  "DELETE /api/v1/webhooks/:id": "admin",
  "GET /api/v1/webhooks/:id/deliveries": "viewer",
  "GET /api/v1/invoices": "viewer",
  "GET /api/v1/invoices/:id": "viewer",
  "GET /api/v1/invoices/:id/html": "viewer",
  "GET /api/v1/invoices/:id/pdf": "viewer",
  "GET /api/v1/agents/:name/versions": "viewer",
  "GET /api/v1/agents/:name/versions/:number": "viewer",
  "GET /api/v1/agents/:name/versions/:number/diff/:other": "viewer",
  "POST /api/v1/agents/:name/versions/:number/restore": "member",
  "GET /api/v1/agents/by-id/:id/versions": "viewer",
  "GET /api/v1/agents/by-id/:id/versions/:number": "viewer",
  "POST /api/v1/try": "member",
  "POST /api/v1/agents/:name/run": "member",
  "GET /api/v1/agents/:name/run/stream": "member",
  "POST /api/v1/sessions/forget": "member",
  "POST /api/v1/agents/:name/stream-ticket": "member",
  "GET /api/v1/agents/:name/status": "viewer",
  "GET /api/v1/agents/:name/logs": "viewer",
  "GET /api/v1/agents/:name/metrics": "viewer",
  "GET /api/v1/agents/:name/invocations/:id": "viewer",
  "GET /api/v1/agents/:name/invocations/:id/trace": "viewer",
  "GET /api/v1/invocations": "viewer",
  "PUT /api/v1/invocations/:id/feedback": "member",
  "DELETE /api/v1/invocations/:id/feedback": "member",
  "PUT /api/v1/invocations/:id/feedback/channel": "member",
  "DELETE /api/v1/invocations/:id/feedback/channel": "member",
  "GET /api/v1/usage": "viewer",
  "GET /api/v1/usage/days": "viewer",
  "GET /api/v1/catalog": "viewer",
  "GET /api/v1/collections": "viewer",
  "GET /api/v1/collections/:collection": "viewer",
  "PUT /api/v1/collections/:collection": "member",
  "DELETE /api/v1/collections/:collection": "member",
  "POST /api/v1/collections/:collection/query": "member",
  "GET /api/v1/collections/:collection/documents": "viewer",
  "GET /api/v1/collections/:collection/documents/:id": "viewer",
  "GET /api/v1/collections/:collection/documents/:id/chunks": "viewer",
  "PUT /api/v1/collections/:collection/documents/:id": "member",
  "DELETE /api/v1/collections/:collection/documents/:id": "member",
  "GET /api/v1/connections": "viewer",
  "PUT /api/v1/connections/:name": "admin",
  "DELETE /api/v1/connections/:name": "admin",
  "GET /api/v1/approvals": "viewer",
  "POST /api/v1/approvals/:id/approve": "member",
  "POST /api/v1/approvals/:id/reject": "member",
  "POST /api/v1/messages/send": "member",
  "GET /api/v1/subscriptions": "viewer",
  "POST /api/v1/usage/events": "member",
};

const rows = routeRows.filter(({ plane }) => plane === "tenant" || plane === "person");
const neededFor = (route: string): MemberRole | "own" => {
  const role = needed[route];
  if (role === undefined) throw new Error(`${route} has no row in this table.`);
  return role;
};

/** Makes a person a member of the matrix's tenant; returns their credential. */
async function joinAs({ platform, owner }: MatrixWorld, role: MemberRole) {
  const { storage, clock } = platform.deps;
  const { userId, asPerson } = await platform.tenant();
  const row = { tenantId: owner.id, userId, role, joinedAt: clock.now() };
  await storage.transact((tx) => tx.insert(storage.tables.tenantMembers).values(row));
  return { ...asPerson, "x-tenant-id": owner.id };
}

test("each route of people and tenants has a role", () => {
  expect(Object.keys(needed).sort()).toEqual([...new Set(rows.map(({ route }) => route))].sort());
});

onEachEngine("roles", (engine) => {
  test.each(memberRoles.filter((role) => role !== "owner"))(
    "a %s is refused where their role is not enough, and changes nothing",
    async (role) => {
      await using world = await startMatrix(engine);
      const headers = await joinAs(world, role);
      const before = (await world.rows()).filter((text) => !text.startsWith("rateWindows "));
      const tooHigh = rows.filter(({ route }) => {
        const least = neededFor(route);
        return least !== "own" && memberRoles.indexOf(least) > memberRoles.indexOf(role);
      });
      expect(tooHigh.length).toBeGreaterThan(0);
      for (const row of tooHigh) {
        const seen = await askRoute(world.platform, row, row.request(world.things, "caller"), headers);
        expect(`${row.route}: ${seen.status} ${seen.text}`).toStartWith(
          `${row.route}: 403 {"error":"role_required"`,
        );
      }
      const after = (await world.rows()).filter((text) => !text.startsWith("rateWindows "));
      expect(after).toEqual(before);
    },
  );
});

describe("the least role", () => {
  let platform: MatrixPlatform;
  beforeAll(async () => {
    platform = await startMatrixPlatform(sqliteEngine);
  });
  afterAll(() => platform[Symbol.asyncDispose]());

  test.each(
    rows
      .filter(({ route }) => neededFor(route) !== "own")
      .map((row, place) => [row.route, place, row] as const),
  )("is enough for %s (%d)", async (route, _, row) => {
    const world = await addWorld(platform);
    const headers = await joinAs(world, neededFor(route) as MemberRole);
    const seen = await askRoute(platform, row, row.request(world.things, "caller"), headers);
    expect(`${seen.status} ${seen.text}`).toStartWith(`${row.status} `);
  });
});
