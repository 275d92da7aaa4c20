import { expect, test } from "bun:test";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type { CloudDeps } from "../../../../src/services/cloud/deps.ts";
import { startCloud } from "../../../support/cloud.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const keys = await generateKeyPair("RS256");
const jwk = { ...(await exportJWK(keys.publicKey)), kid: "g1", alg: "RS256" };
const idp = "https://idp.example.com";

/** A stand-in of Google and GitHub that checks PKCE. `challenge` is the one that the sign-in page was opened with. */
function identityProvider(profile: { email: string; verified: boolean }) {
  const state = { challenge: "" };
  const fetch: CloudDeps["identityFetch"] = async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/keys") return Response.json({ keys: [jwk] });
    if (pathname === "/token") {
      const verifier = new URLSearchParams(await request.text()).get("code_verifier") ?? "";
      const challenge = new Bun.CryptoHasher("sha256").update(verifier).digest("base64url");
      if (challenge !== state.challenge) return Response.json({ error: "invalid_grant" });
      return Response.json({ access_token: "t" });
    }
    if (pathname === "/user") return Response.json({ id: 7, login: "ada", name: null });
    return Response.json([{ email: profile.email, primary: true, verified: profile.verified }]);
  };
  return { state, fetch };
}

const settings: CloudDeps["signIn"] = {
  dev: "on",
  google: {
    clientId: "client",
    clientSecret: undefined,
    authorizationUrl: `${idp}/authorize`,
    tokenUrl: `${idp}/token`,
    jwksUrl: `${idp}/keys`,
    issuers: [idp],
  },
  github: {
    clientId: "client",
    clientSecret: "secret",
    authorizationUrl: `${idp}/authorize`,
    tokenUrl: `${idp}/token`,
    apiUrl: idp,
  },
};

onEachEngine("sign-in of the cloud", (engine) => {
  test("takes ID tokens that Google signed for us, with a verified address; others are 401", async () => {
    const { fetch } = identityProvider({ email: "ada@example.com", verified: true });
    await using cloud = await startCloud(engine, (deps) => ({
      ...deps,
      identityFetch: fetch,
      signIn: settings,
    }));
    const iat = cloud.clock.now().getTime() / 1000;
    const usual = {
      sub: "1",
      email: "ada@example.com",
      email_verified: true,
      iss: idp,
      aud: "client",
      iat,
      exp: iat + 60,
    };
    const signIn = async (change: object, key = keys.privateKey) => {
      const header = { alg: "RS256", kid: "g1" };
      const id_token = await new SignJWT({ ...usual, ...change }).setProtectedHeader(header).sign(key);
      return (await cloud.call("POST", "/auth/google", { body: { id_token } })).status;
    };
    const attacker = await generateKeyPair("RS256");
    expect(await signIn({})).toBe(200);
    expect(await signIn({}, attacker.privateKey)).toBe(401);
    for (const change of [
      { aud: "other" },
      { iss: "https://evil" },
      { exp: iat - 60 },
      { email_verified: false },
    ]) {
      expect(await signIn(change)).toBe(401);
    }
    // An address that the development login used was never verified.
    await cloud.login("eve@example.com");
    expect(await signIn({ sub: "2", email: "eve@example.com" })).toBe(403);
  });

  test("takes GitHub's code once, with the state and verifier of its own sign-in; others are 401", async () => {
    const { state, fetch } = identityProvider({ email: "ada@example.com", verified: true });
    await using cloud = await startCloud(engine, (deps) => ({
      ...deps,
      identityFetch: fetch,
      signIn: settings,
    }));
    const start = async () => {
      const body = { redirect_uri: "https://app.example.com/back" };
      const started = (await cloud.call("POST", "/auth/github/start", { body })).body;
      state.challenge = new URL(started.authorization_url).searchParams.get("code_challenge") ?? "";
      return started.state as string;
    };
    const signIn = async (sent: object) =>
      (await cloud.call("POST", "/auth/github", { body: { code: "c", ...sent } })).status;
    const first = await start();
    expect(await signIn({})).toBe(401);
    expect(await signIn({ state: "forged" })).toBe(401);
    expect(await signIn({ state: first })).toBe(200);
    expect(await signIn({ state: first })).toBe(401);
    const second = await start();
    state.challenge = "of another browser";
    expect(await signIn({ state: second })).toBe(401);
    const third = await start();
    await cloud.clock.advance(600_000);
    expect(await signIn({ state: third })).toBe(401);
  });
});
