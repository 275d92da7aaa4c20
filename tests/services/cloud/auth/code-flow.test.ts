import { expect, test } from "bun:test";
import { startCloud, type TestCloud } from "../../../support/cloud.ts";
import { onEachEngine, type TestEngine } from "../../../support/storage-engines.ts";
import { type Misbehaviour, startIdentityStandIns } from "./identity-stand-ins.ts";

const vendors = ["google", "github"] as const;
const ada = { subject: "7", email: "ada@example.com" };

async function open(engine: TestEngine) {
  let cloud: TestCloud | undefined;
  const standIns = startIdentityStandIns(() => cloud?.clock.now() ?? new Date(0));
  cloud = await startCloud(engine, (deps) => ({ ...deps, signIn: standIns.settings }));
  const { call } = cloud;
  const start = async (vendor: string) =>
    (await call("POST", `/auth/${vendor}/start`, { body: { redirect_uri: "https://app.example.com/back" } }))
      .body;
  const finish = (vendor: string, body: object) => call("POST", `/auth/${vendor}`, { body });
  /** Signs in as a browser does. */
  const signIn = async (vendor: string, account = ada) => {
    const { code, state } = standIns.approve((await start(vendor)).authorization_url, account);
    return finish(vendor, { code, state });
  };
  return {
    cloud,
    standIns,
    start,
    finish,
    signIn,
    async [Symbol.asyncDispose]() {
      await cloud?.[Symbol.asyncDispose]();
      await standIns[Symbol.asyncDispose]();
    },
  };
}

const refused = { status: 401, body: { error: "unauthorized", status: 401 } };

onEachEngine("the code flow", (engine) => {
  test.each(vendors)(
    "of %s signs in with state and PKCE, and finds the same account again",
    async (vendor) => {
      await using world = await open(engine);
      const first = await world.signIn(vendor);
      expect(first).toMatchObject({ status: 200, body: { token_type: "bearer", org_slug: "ada" } });
      // The account's own id outlives its address.
      const moved = await world.signIn(vendor, { ...ada, email: "lovelace@example.com" });
      expect(moved).toMatchObject({ status: 200, body: { org_slug: "ada" } });
      const headers = { authorization: `Bearer ${moved.body.access_token}` };
      expect((await world.cloud.call("GET", "/orgs/me", { headers })).status).toBe(200);
    },
  );

  test("links both vendors by a verified address; an address of the development login is 403", async () => {
    await using world = await open(engine);
    expect((await world.signIn("google")).body.org_slug).toBe("ada");
    expect((await world.signIn("github", { ...ada, subject: "8" })).body.org_slug).toBe("ada");
    await world.cloud.login("eve@example.com");
    expect(await world.signIn("github", { subject: "9", email: "eve@example.com" })).toMatchObject({
      status: 403,
      body: { error: "forbidden" },
    });
    const asDeveloper = { email: "ada@example.com", name: "Eve" };
    expect((await world.cloud.call("POST", "/auth/dev/login", { body: asDeveloper })).status).toBe(403);
  });

  test.each(vendors)(
    "of %s: a state that is missing, forged, used, late or of the other vendor is 400",
    async (vendor) => {
      await using world = await open(engine);
      const { cloud, standIns, start, finish } = world;
      const approved = async (from = vendor) => standIns.approve((await start(from)).authorization_url, ada);
      const other = vendor === "google" ? "github" : "google";
      const { code, state } = await approved();
      expect(await finish(vendor, { code })).toMatchObject(refused);
      expect(await finish(vendor, { code, state: "forged" })).toMatchObject(refused);
      expect(await finish(other, { code, state })).toMatchObject(refused);
      expect((await finish(vendor, { code, state })).status).toBe(200);
      expect(await finish(vendor, { code, state })).toMatchObject(refused);
      // The state of another browser has another verifier.
      const [mine, theirs] = [await approved(), await approved()];
      expect(await finish(vendor, { code: theirs.code, state: mine.state })).toMatchObject(refused);
      const late = await approved();
      await cloud.clock.advance(600_000);
      expect(await finish(vendor, late)).toMatchObject({ status: 400 });
      expect(await finish(vendor, { code: late.code, state: late.state })).toMatchObject(refused);
    },
  );

  const faults: readonly (readonly [string, Misbehaviour, number])[] = [
    ["another nonce", { claims: { nonce: "of another sign-in" } }, 401],
    ["no nonce", { claims: { nonce: undefined } }, 401],
    ["a wrong audience", { claims: { aud: "another-client" } }, 401],
    ["a wrong issuer", { claims: { iss: "https://evil.example" } }, 401],
    ["an expired token", { claims: { exp: 1_000 } }, 401],
    ["an unverified address", { claims: { email_verified: false } }, 401],
    ["no address", { claims: { email: undefined } }, 401],
    ["no subject", { claims: { sub: undefined } }, 401],
    ["a key that Google does not publish", { forged: true }, 401],
    ["an outage", { status: 503 }, 502],
  ];
  test.each(faults)("of google refuses an ID token with %s", async (_, how, status) => {
    await using world = await open(engine);
    world.standIns.misbehave(how);
    expect((await world.signIn("google")).status).toBe(status);
    expect(await world.cloud.deps.storage.read.select().from(world.cloud.deps.storage.tables.users)).toEqual(
      [],
    );
  });

  test("of github refuses an unverified address; an outage of GitHub is 502", async () => {
    await using world = await open(engine);
    expect(await world.signIn("github", { ...ada, verified: false } as typeof ada)).toMatchObject(refused);
    const { code, state } = world.standIns.approve((await world.start("github")).authorization_url, ada);
    world.standIns.misbehave({ status: 503 });
    expect(await world.finish("github", { code, state })).toMatchObject({
      status: 502,
      body: { error: "provider_failed", status: 502 },
    });
  });

  test("an ID token signs in once; a code beside it is 400", async () => {
    await using world = await open(engine);
    const { standIns, finish, cloud } = world;
    const id_token = await standIns.idToken(ada);
    expect((await finish("google", { id_token })).status).toBe(200);
    expect(await finish("google", { id_token })).toMatchObject(refused);
    await cloud.clock.advance(1000);
    expect((await finish("google", { id_token: await standIns.idToken(ada) })).status).toBe(200);
    for (const body of [{}, { id_token, code: "c", state: "s" }])
      expect(await finish("google", body)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    for (const wrong of ["x", "a.b.c", await standIns.idToken(ada, {}, true)])
      expect(await finish("google", { id_token: wrong })).toMatchObject(refused);
  });
});
