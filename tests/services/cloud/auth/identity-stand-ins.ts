import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type { SignInSettings } from "../../../../src/services/cloud/auth/deps.ts";

const keys = await generateKeyPair("RS256");
const others = await generateKeyPair("RS256");
const jwk = { ...(await exportJWK(keys.publicKey)), kid: "g1", alg: "RS256" };

/** An account at a stand-in. */
export interface StandInAccount {
  subject: string;
  email: string;
  verified?: boolean;
}

/** How the stand-in misbehaves in one sign-in. */
export interface Misbehaviour {
  /** Claims of the ID token that differ from the right ones. */
  claims?: Record<string, unknown>;
  /** Signs with a key that the stand-in does not publish. */
  forged?: boolean;
  /** Status of each answer. */
  status?: number;
}

/** Google and GitHub on a loopback socket: the page of a sign-in, the exchange of its code, signing keys and accounts. */
export interface IdentityStandIns extends AsyncDisposable {
  settings: SignInSettings;
  /** Opens the page at this address as a signed-in person would, and returns the code and state that come back. */
  approve(
    authorizationUrl: string,
    account: StandInAccount,
  ): { code: string; state: string; redirectUri: string };
  /** Signs an ID token for a page that has Google's button. */
  idToken(account: StandInAccount, claims?: Record<string, unknown>, forged?: boolean): Promise<string>;
  misbehave(how: Misbehaviour): void;
}

interface Approved extends StandInAccount {
  vendor: string;
  challenge: string;
  nonce: string | undefined;
  redirectUri: string;
}

const sha256 = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("base64url");

export function startIdentityStandIns(now: () => Date): IdentityStandIns {
  const codes = new Map<string, Approved>();
  const tokens = new Map<string, StandInAccount>();
  let misbehaviour: Misbehaviour = {};
  const idToken: IdentityStandIns["idToken"] = (
    { subject, email, verified = true },
    claims = {},
    forged = false,
  ) => {
    const iat = Math.floor(now().getTime() / 1000);
    const usual = {
      sub: subject,
      email,
      email_verified: verified,
      iss: url,
      aud: "google-client",
      iat,
      exp: iat + 3600,
    };
    const { privateKey } = forged ? others : keys;
    return new SignJWT({ ...usual, ...claims })
      .setProtectedHeader({ alg: "RS256", kid: "g1" })
      .sign(privateKey);
  };
  const server = Bun.serve({
    port: 0,
    idleTimeout: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (misbehaviour.status !== undefined) return new Response("{}", { status: misbehaviour.status });
      if (pathname === "/google/keys") return Response.json({ keys: [jwk] });
      if (pathname.endsWith("/token")) {
        const sent = new URLSearchParams(await request.text());
        const [, vendor = ""] = pathname.split("/");
        const approved = codes.get(sent.get("code") ?? "");
        codes.delete(sent.get("code") ?? "");
        const isRight =
          approved?.vendor === vendor &&
          sent.get("client_id") === `${vendor}-client` &&
          sent.get("client_secret") === `${vendor}-secret` &&
          sent.get("redirect_uri") === approved.redirectUri &&
          sha256(sent.get("code_verifier") ?? "") === approved.challenge;
        // GitHub answers 200 with an error.
        if (!isRight)
          return Response.json(
            { error: "bad_verification_code" },
            { status: vendor === "github" ? 200 : 400 },
          );
        const access_token = crypto.randomUUID();
        tokens.set(access_token, approved);
        const { claims = {}, forged } = misbehaviour;
        const id_token = await idToken(approved, { nonce: approved.nonce, ...claims }, forged);
        return Response.json({ access_token, ...(vendor === "google" && { id_token }) });
      }
      const account = tokens.get((request.headers.get("authorization") ?? "").replace("Bearer ", ""));
      if (account === undefined) return new Response("{}", { status: 401 });
      if (pathname === "/github/user")
        return Response.json({ id: account.subject, login: "ada", name: null });
      const { email, verified = true } = account;
      return Response.json([
        { email: "other@example.com", primary: false, verified: true },
        { email, primary: true, verified },
      ]);
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  return {
    settings: {
      dev: "on",
      google: {
        clientId: "google-client",
        clientSecret: "google-secret",
        authorizationUrl: `${url}/google/authorize`,
        tokenUrl: `${url}/google/token`,
        jwksUrl: `${url}/google/keys`,
        issuers: [url],
      },
      github: {
        clientId: "github-client",
        clientSecret: "github-secret",
        authorizationUrl: `${url}/github/authorize`,
        tokenUrl: `${url}/github/token`,
        apiUrl: `${url}/github`,
      },
    },
    approve(authorizationUrl, account) {
      const page = new URL(authorizationUrl);
      const sent = page.searchParams;
      const [, vendor = ""] = page.pathname.split("/");
      if (sent.get("response_type") !== "code" || sent.get("code_challenge_method") !== "S256")
        throw new Error(`The page was opened wrongly: ${authorizationUrl}`);
      const code = crypto.randomUUID();
      const redirectUri = sent.get("redirect_uri") ?? "";
      const nonce = sent.get("nonce") ?? undefined;
      codes.set(code, {
        ...account,
        vendor,
        nonce,
        redirectUri,
        challenge: sent.get("code_challenge") ?? "",
      });
      return { code, state: sent.get("state") ?? "", redirectUri };
    },
    idToken,
    misbehave(how) {
      misbehaviour = how;
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
