import { describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { newId } from "../../../../src/kit/id.ts";
import { createAccessTokens } from "../../../../src/storage/access-tokens.ts";
import corpus from "../../../corpora/tenant_isolation.json" with { type: "json" };
import { cloudRing, cloudTokenKind, deploy, startCloud, type TestCloud } from "../../../support/cloud.ts";
import { onEachEngine, type TestEngine } from "../../../support/storage-engines.ts";
import { type Plane, type RouteRow, routeRows, type Things } from "./route-rows.ts";

/** A status for all routes of a plane, or `allowed`. */
type Told = number | "allowed";

const refused = { public: "allowed", person: 401, self: 401, org: 401, manager: 401, owner: 401 } as const;
const own = { public: "allowed", person: "allowed", self: "allowed" } as const;
const foreign = { ...own, org: 403, manager: 403, owner: 403 } as const;
const anyone = { ...own, org: "allowed", manager: "allowed", owner: "allowed" } as const;

/** The answers to each credential on org A's routes. */
const told = {
  "owner of A": anyone,
  "admin of A": { ...anyone, owner: 403 },
  "member of A": { ...anyone, manager: 403, owner: 403 },
  "key of A": { ...anyone, person: 403, manager: 403, owner: 403 },
  "person of B": foreign,
  "person of B with X-Tenant-ID A": foreign,
  "person of both A's invitation and B": foreign,
  "removed member of A": foreign,
  "person of B and C": foreign,
  "key of B": { ...foreign, person: 403 },
  "revoked key of A": refused,
  "key of a deleted org": refused,
  "expired token of A's owner": refused,
  "token of an ended session of A's owner": refused,
  "refresh token of A's owner": refused,
  "stream ticket of A as a token": refused,
  "token of A's owner as a key": refused,
  "key of A as a token": refused,
  "token and key of A at once": refused,
  "token that the platform signed": refused,
  "random run token": refused,
  "gateway sender key": refused,
  "no credential": refused,
} satisfies Record<string, Record<Plane, Told>>;
type CredentialName = keyof typeof told;
const credentialNames = Object.keys(told) as CredentialName[];

/** Credentials by their names in the corpus. The cloud's operator is the machine's owner, whose tests are those of the control socket. */
const corpusNames: Readonly<Record<string, CredentialName>> = {
  "tenant B API key": "key of B",
  "tenant B JWT with X-Tenant-ID B": "person of B",
  "tenant B JWT with X-Tenant-ID A": "person of B with X-Tenant-ID A",
  "user of both tenants, wrong X-Tenant-ID": "person of B and C",
  "deleted tenant A key": "key of a deleted org",
  "revoked key of A": "revoked key of A",
  "run token of B": "random run token",
  "gateway send key of B": "gateway sender key",
  "no credential": "no credential",
  "operator token (control, must pass)": "owner of A",
};

type Headers = Record<string, string>;

async function startMatrix(engine: TestEngine) {
  // Room for the things that rightful callers create.
  const roomy = { max_agents: 10_000, requests_per_day: 10_000, max_members: 10_000 };
  const cloud = await startCloud(engine, (deps) => ({ ...deps, plans: new Map([["free", roomy]]) }));
  const { deps, clock } = cloud;
  const { storage } = deps;
  const { tables } = storage;
  const expired = await cloud.login("ada@example.com");
  await clock.advance(86_400_000 + 60_000);
  const owner = await cloud.login("ada@example.com");
  const left = await cloud.login("ada@example.com");
  await cloud.call("POST", "/auth/logout", { headers: left.headers });
  const asOwner = (method: string, path: string, body?: unknown) =>
    cloud.call(method, `${owner.org}${path}`, {
      headers: owner.headers,
      ...(body === undefined ? {} : { body }),
    });
  const join = async (email: string, role: string) => {
    const { body } = await asOwner("POST", "/members/invite", { email, role });
    const person = await cloud.login(email);
    await cloud.call("POST", `/invitations/${body.id}/accept`, { headers: person.headers });
    return { id: body.id as string, person };
  };
  const [admin, member, removed] = [
    await join("admin@example.com", "admin"),
    await join("member@example.com", "member"),
    await join("removed@example.com", "member"),
  ];
  await asOwner("DELETE", `/members/${removed.id}`);
  const stranger = await cloud.login("eve@example.com");
  await asOwner("POST", "/members/invite", { email: "eve@example.com", role: "admin" });
  const uninvited = await cloud.login("mallory@example.com");
  const third = await cloud.login("carl@example.com");
  const { body: toThird } = await cloud.call("POST", `${third.org}/members/invite`, {
    headers: third.headers,
    body: { email: "mallory@example.com", role: "admin" },
  });
  await cloud.call("POST", `/invitations/${toThird.id}/accept`, { headers: uninvited.headers });
  const keyOf = async (person: typeof owner) =>
    (await cloud.call("POST", `${person.org}/keys`, { headers: person.headers, body: { name: "k" } })).body;
  const [key, spare, revoked, strangers] = [
    await keyOf(owner),
    await keyOf(owner),
    await keyOf(owner),
    await keyOf(uninvited),
  ];
  await asOwner("DELETE", `/keys/${revoked.id}`);
  const doomed = await cloud.login("doomed@example.com");
  const orphan = await keyOf(doomed);
  await storage.transact((tx) => tx.delete(tables.orgs).where(eq(tables.orgs.slug, doomed.slug)));
  await deploy(cloud, owner);
  await deploy(cloud, uninvited);
  const { body: issued } = await asOwner("POST", "/agents/helper/stream-ticket");
  const platformTokens = createAccessTokens(cloudRing, clock, {
    ...cloudTokenKind,
    issuer: "platform",
    audience: "platform-api",
    purpose: "platform access tokens",
  });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const headers: Record<CredentialName, Headers> = {
    "owner of A": owner.headers,
    "admin of A": admin.person.headers,
    "member of A": member.person.headers,
    "key of A": { "x-api-key": key.secret },
    "person of B": uninvited.headers,
    "person of B with X-Tenant-ID A": { ...uninvited.headers, "x-tenant-id": owner.slug },
    "person of both A's invitation and B": stranger.headers,
    "removed member of A": removed.person.headers,
    "person of B and C": uninvited.headers,
    "key of B": { "x-api-key": strangers.secret },
    "revoked key of A": { "x-api-key": revoked.secret },
    "key of a deleted org": { "x-api-key": orphan.secret },
    "expired token of A's owner": expired.headers,
    "token of an ended session of A's owner": left.headers,
    "refresh token of A's owner": bearer(owner.refreshToken),
    "stream ticket of A as a token": bearer(issued.ticket),
    "token of A's owner as a key": { "x-api-key": owner.accessToken },
    "key of A as a token": bearer(key.secret),
    "token and key of A at once": { ...owner.headers, "x-api-key": key.secret },
    "token that the platform signed": bearer(
      await platformTokens.issue({ userId: newId(), sessionId: newId() }),
    ),
    "random run token": bearer("x".repeat(43)),
    "gateway sender key": { "x-gateway-sender-key": "x".repeat(43) },
    "no credential": {},
  };
  let number = 0;
  const things: Things = {
    cloud,
    owner,
    keyId: spare.id,
    memberId: member.id,
    fresh: () => `fresh-${++number}`,
  };
  return { cloud, things, headers };
}

/** Every row of the database, as text. */
async function rowsOf({ deps }: TestCloud): Promise<string> {
  const { read, tables } = deps.storage;
  const all: string[] = [];
  for (const [name, table] of Object.entries(tables)) {
    const rows = (await read.select().from(table)) as object[];
    all.push(...rows.map((row) => `${name} ${JSON.stringify(row)}`));
  }
  return all.sort().join("\n");
}

const asked = async (
  { cloud }: { cloud: TestCloud },
  row: RouteRow,
  headers: Headers,
  { path, body }: { path: string; body?: unknown },
) => {
  const [method = ""] = row.route.split(" ");
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${cloud.url}${path}`, { method, headers, ...sent });
  return { status: response.status, text: await response.text() };
};

onEachEngine("the isolation matrix of the cloud", (engine) => {
  test("has a row for each route, and a route for each row", async () => {
    await using cloud = await startCloud(engine);
    const routes = cloud.routes.map(({ method, path }) => `${method} ${path.replace(/(.)\/$/, "$1")}`);
    expect(routeRows.map(({ route }) => route).sort()).toEqual([...new Set(routes)].sort());
  });

  test("refuses strangers on every route, changes nothing for them, and says the same of an org that is not there", async () => {
    const world = await startMatrix(engine);
    await using _ = world.cloud;
    const before = await rowsOf(world.cloud);
    const runs = world.cloud.runtime.runs.length;
    for (const row of routeRows) {
      if (row.plane === "public") continue;
      // Requests of this row never succeed here, so the thing that they name may be any.
      const request = await row.request({ ...world.things, cloud: unchanged(world.cloud) });
      for (const credential of credentialNames) {
        const said: Told = told[credential][row.plane];
        if (said === "allowed") continue;
        const seen = await asked(world, row, world.headers[credential], request);
        expect([row.route, credential, seen.status]).toEqual([row.route, credential, said]);
        expect([row.route, credential, JSON.parse(seen.text).status]).toEqual([row.route, credential, said]);
        if (
          said !== 403 ||
          row.plane === "person" ||
          ["admin of A", "member of A", "key of A"].includes(credential)
        )
          continue;
        const nowhere = { ...request, path: request.path.replace(/\/orgs\/[^/]+/, "/orgs/no-such-org") };
        expect((await asked(world, row, world.headers[credential], nowhere)).text).toBe(seen.text);
      }
    }
    expect(await rowsOf(world.cloud)).toBe(before);
    expect(world.cloud.runtime.runs).toHaveLength(runs);
  });

  test("answers every rightful caller", async () => {
    const world = await startMatrix(engine);
    await using _ = world.cloud;
    const rightful: readonly CredentialName[] = ["owner of A", "admin of A", "member of A", "key of A"];
    for (const row of routeRows.toSorted((one, other) => lastness(one) - lastness(other))) {
      for (const credential of rightful) {
        if (told[credential][row.plane] !== "allowed") continue;
        const seen = await asked(world, row, world.headers[credential], await row.request(world.things));
        expect(`${row.route} ${credential}: ${seen.status} ${seen.text}`).toStartWith(
          `${row.route} ${credential}: ${row.status} `,
        );
      }
    }
  });
});

/** Rows that end what the others need: the org, then the sessions. */
const ending = ["DELETE /api/v1/orgs/:slug", "POST /api/v1/auth/logout"];
const lastness = ({ route }: RouteRow): number => ending.indexOf(route);

/** A cloud whose owner creates nothing: requests that need something name things that are not there. */
const unchanged = (cloud: TestCloud): TestCloud => ({
  ...cloud,
  call: async () => ({ status: 201, body: { id: newId() }, text: "", headers: new Headers() }) as never,
});

describe("the tenant isolation corpus, on the cloud", () => {
  const pairs = corpus.entries.flatMap(({ id, input, expected }) =>
    typeof input === "object" ? [[id, input.credential, expected] as const] : [],
  );

  test.each(pairs)("%s: %s", (_, credential, expected) => {
    const name = corpusNames[credential];
    expect(name).toBeDefined();
    const said = told[name as CredentialName].org;
    expect(String(said)).toBe(expected === "pass" ? "allowed" : expected === "401" ? "401" : "403");
  });

  test("has these properties besides the pairs", () => {
    const known: Readonly<Record<string, string>> = {
      "tenant_isolation-101": "above: a foreign org answers as a missing one",
      "tenant_isolation-102": "one query finds a foreign and a missing org alike",
      "tenant_isolation-105": "the cloud has no Idempotency-Key",
      "tenant_isolation-109": "tests/compose/cloud/cloud-runtime.test.ts",
      "tenant_isolation-112": "tests/compose/cloud/cloud-runtime.test.ts",
      "tenant_isolation-116": "the cloud sends no messages",
      "tenant_isolation-118": "the cloud exports nothing",
      "tenant_isolation-119": "a reused name starts empty: tests/compose/cloud/cloud-runtime.test.ts",
      "tenant_isolation-120": "tests/compose/cloud/cloud-runtime.test.ts",
      "tenant_isolation-121": "a config names no MCP server",
      "tenant_isolation-122": "tests/compose/cloud/cloud-runtime.test.ts",
      "tenant_isolation-123": "sql_query is not in the catalog unless the operator opens it",
      "tenant_isolation-124": "read_file is not in the catalog unless the operator opens it",
    };
    const others = corpus.entries.filter(({ input }) => typeof input !== "object").map(({ id }) => id);
    expect(Object.keys(known)).toEqual(others);
  });
});
