import { afterAll, describe, expect, test } from "bun:test";
import { askRoute, type Seen } from "../../../conformance/platform/ask-route.ts";
import {
  addWorld,
  type CredentialName,
  canary,
  credentialNames,
  type MatrixWorld,
  startMatrix,
  startMatrixPlatform,
  type Things,
} from "../../../conformance/platform/matrix-world.ts";
import { mayOutlast, onlyReads, type Plane, type RouteRow } from "../../../conformance/platform/route-row.ts";
import { routeRows } from "../../../conformance/platform/route-rows.ts";
import corpus from "../../../corpora/tenant_isolation.json" with { type: "json" };
import { onEachEngine } from "../../../support/storage-engines.ts";
import { SharedUntilFailure } from "./shared-until-failure.ts";

/**
 * The answer to a credential on a plane: a status for all its routes, `foreign` for the row's answer to strangers, `allowed` for rightful
 * callers. An undefined plane is tested with another credential.
 */
type Told = number | "foreign" | "allowed";
const refused = { person: 401, tenant: 401, operator: 401, run: 401 } as const;

const told: Record<CredentialName, Partial<Record<Plane, Told>>> = {
  "tenant B API key": { ...refused, tenant: "foreign" },
  "tenant B JWT with X-Tenant-ID B": { ...refused, tenant: "foreign", person: "foreign" },
  "tenant B JWT with X-Tenant-ID A": { ...refused, tenant: 404, person: "foreign" },
  "tenant B JWT without X-Tenant-ID": { ...refused, tenant: 400, person: "foreign" },
  "tenant B API key with X-Tenant-ID A": refused,
  "tenant B API key and JWT at once": { tenant: 401, operator: 401, run: 401 },
  // This person is the owner of the tenants themselves.
  "user of both tenants, wrong X-Tenant-ID": { tenant: "foreign", operator: 401, run: 401 },
  "deleted tenant A key": refused,
  "deleted tenant's JWT": { ...refused, tenant: 404, person: "foreign" },
  "revoked key of A": refused,
  "run token of B": { person: 401, tenant: 401, operator: 401 },
  "ended run token of A": refused,
  "gateway send key of B": refused,
  "expired JWT of A": refused,
  "JWT of a session of A that was ended": refused,
  "operator token": { ...refused, operator: "allowed" },
  "wrong operator token": refused,
  "no credential": { ...refused, public: "allowed" },
  "tenant A API key": { ...refused, tenant: "allowed" },
  "tenant A JWT": { ...refused, tenant: "allowed", person: "allowed" },
  "operator JWT with X-Tenant-ID A": { tenant: "allowed", operator: "allowed", run: 401 },
  "run token of A": { ...refused, run: "allowed" },
};

const ask = (
  { platform, headers }: MatrixWorld,
  row: RouteRow,
  credential: CredentialName,
  things: Things,
  caller: string,
): Promise<Seen> => askRoute(platform, row, row.request(things, caller), headers[credential]);

/** Replaces the names of things by those of things that do not exist. */
function inTermsOf(text: string, things: Things, others: Things): string {
  const names = Object.keys(things) as (keyof Things)[];
  return names.reduce((said, name) => said.replaceAll(others[name], things[name]), text);
}

async function tryForeign(world: MatrixWorld, row: RouteRow, credential: CredentialName, caller: string) {
  const { things } = world;
  const seen = await ask(world, row, credential, things, caller);
  for (const secret of [canary, things.tenant, things.agentId, things.invocation, things.keyHash]) {
    // The answer to a missing thing may repeat the name from the request.
    if (!row.request(things, caller).path.includes(secret)) expect(seen.text).not.toContain(secret);
  }
  if (row.foreign === "own") {
    // Another credential of the same person may have done it before.
    expect(row.once ? [row.status, 409] : [row.status]).toContain(seen.status);
    return;
  }
  expect(seen.status).toBe(404);
  const missing = await ask(world, row, credential, world.nowhere, caller);
  expect(missing.status).toBe(404);
  expect(inTermsOf(missing.text, things, world.nowhere)).toBe(seen.text);
}

/** Sends a row's request with each credential that is not its rightful caller's. */
async function tryWrongful(world: MatrixWorld, row: RouteRow) {
  for (const [place, credential] of credentialNames.entries()) {
    const said = told[credential][row.plane];
    if (said === undefined || said === "allowed") continue;
    if (said === "foreign") {
      // A request that ends its own session makes the credential unusable, so it is not tried.
      if (!row.endsSession) await tryForeign(world, row, credential, `caller-${place}`);
      continue;
    }
    const seen = await ask(world, row, credential, world.things, `caller-${place}`);
    expect(`${credential}: ${seen.status}`).toBe(`${credential}: ${said}`);
    expect(seen.text).not.toContain(canary);
  }
}

/** Sends a row's request with its rightful callers' credentials, only with the first if it succeeds only once. */
async function tryRightful(world: MatrixWorld, row: RouteRow) {
  const rightful = credentialNames.filter((credential) => told[credential][row.plane] === "allowed");
  for (const [place, credential] of (row.once ? rightful.slice(0, 1) : rightful).entries()) {
    const seen = await ask(world, row, credential, world.things, `rightful-${place}`);
    expect(`${credential}: ${seen.status} ${seen.text}`).toStartWith(`${credential}: ${row.status} `);
  }
}

/** Sends the requests of a row that writes: for strangers, they change nothing of the owner's, and only strangers have new rows. */
async function tryWrite(world: MatrixWorld, row: RouteRow) {
  const before = new Set(await world.rows());
  await tryWrongful(world, row);
  const after = new Set(await world.rows());
  // The failures of an address are a count that all worlds of this machine have in common.
  const isLost = (text: string) => !text.startsWith('failedSignIns {"subject":"address:');
  expect([...before.difference(after)].filter(isLost)).toEqual([]);
  const isOwners = (text: string) => text.includes(world.owner.id) || text.includes(world.owner.userId);
  // A stranger's attempt counts in the stranger's own rate window.
  const isUnexpected = (text: string) =>
    isOwners(text) || (row.foreign !== "own" && !text.startsWith("rateWindows "));
  expect([...after.difference(before)].filter(isUnexpected)).toEqual([]);
  await tryRightful(world, row);
}

const title = (row: RouteRow) => {
  const others = routeRows.filter(({ route }) => route === row.route);
  return others.length === 1 ? row.route : `${row.route} (${others.indexOf(row) + 1})`;
};
const rows = routeRows.map((row) => [title(row), row] as const);

onEachEngine("the isolation matrix", (engine) => {
  test("has a row for each route, and a route for each row", async () => {
    await using world = await startMatrix(engine);
    const routes = world.platform.routes.map(
      ({ method, path }) => `${method} ${path.replace(/(.)\/$/, "$1")}`,
    );
    expect([...new Set(routeRows.map(({ route }) => route))].sort()).toEqual([...new Set(routes)].sort());
  });

  const readers = new SharedUntilFailure(() => startMatrix(engine));
  afterAll(() => readers[Symbol.asyncDispose]());

  test.each(rows.filter(([, row]) => onlyReads(row)))("%s, which changes nothing", (_, row) =>
    readers.lend(async (world) => {
      const before = await world.everyRow();
      await tryWrongful(world, row);
      await tryRightful(world, row);
      expect(await world.everyRow()).toEqual(before);
    }),
  );

  const writers = new SharedUntilFailure(() => startMatrixPlatform(engine));
  afterAll(() => writers[Symbol.asyncDispose]());

  test.each(rows.filter(([, row]) => !onlyReads(row) && !mayOutlast(row)))("%s", (_, row) =>
    writers.lend(async (platform) => tryWrite(await addWorld(platform), row)),
  );

  test.each(rows.filter(([, row]) => mayOutlast(row)))("%s", async (_, row) => {
    await using world = await startMatrix(engine);
    await tryWrite(world, row);
  });

  test("a tenant's Idempotency-Key, sent by another: 409 and nothing of the run", async () => {
    await using world = await startMatrix(engine);
    const { platform, owner, stranger } = world;
    const path = "/api/v1/agents/support/run";
    const send = (headers: Record<string, string>) =>
      platform.call("POST", path, {
        headers: { ...headers, "idempotency-key": "k1" },
        body: { query: canary },
      });
    const first = await send(owner.asProgram);
    expect(first.status).toBe(200);
    const own = { apiVersion: "platform/v1", kind: "Agent", metadata: { name: "support" } };
    const spec = { model: { primary: { provider: "lab", model: "test-model" } } };
    const made = await platform.call("POST", "/api/v1/agents", {
      headers: { ...stranger.asProgram, "content-type": "application/json" },
      body: { ...own, spec },
    });
    expect(made.status).toBe(201);
    const other = await send(stranger.asProgram);
    expect(other.status).toBe(409);
    expect(other.text).not.toContain(first.body.invocation_id);
    expect(other.text).not.toContain(canary);
  });
});

describe("the tenant isolation corpus", () => {
  const pairs = corpus.entries.filter(({ input }) => typeof input === "object");
  const named = new Set(pairs.map(({ input }) => (typeof input === "object" ? input.credential : "")));

  test.each([...named])("%s is one of the credentials that each route is tried with", (credential) => {
    const name = credential === "operator token (control, must pass)" ? "operator token" : credential;
    expect([...credentialNames] as string[]).toContain(name);
  });

  test.each(pairs.map(({ id, input, expected }) => [id, input, expected] as const))(
    "%s is what the matrix expects",
    (_, input, expected) => {
      const credential = typeof input === "object" ? input.credential : "";
      const isControl = credential === "operator token (control, must pass)";
      const said = isControl
        ? told["operator JWT with X-Tenant-ID A"].tenant
        : told[credential as CredentialName].tenant;
      if (expected === "pass") expect(said).toBe("allowed");
      else if (expected === "401") expect(said).toBe(401);
      else expect(["foreign", 404]).toContain(said as string | number);
    },
  );
});
