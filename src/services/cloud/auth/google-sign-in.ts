import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from "jose";
import type { GoogleSignIn } from "../../../contracts/cloud/auth.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { readEmail } from "../../../kit/text/email-address.ts";
import { callIdentity, exchangeCode, type IdentityPorts, notSignedIn } from "./call-identity.ts";
import type { CloudAuthDeps } from "./deps.ts";
import type { KnownPerson } from "./open-account.ts";
import { type ReturnedSignIn, takeSignIn, useOnce } from "./sign-in-states.ts";

export interface GoogleSettings {
  clientId: string;
  /** Needed for the code flow; an ID token needs none. */
  clientSecret: string | undefined;
  authorizationUrl: string;
  tokenUrl: string;
  jwksUrl: string;
  issuers: readonly string[];
}

const tokenLengthMax = 8192;
const toleranceSeconds = 30;

/** Returns the person of an ID token, which is sent or exchanged for a code. Throws 401 unless Google vouches for it. */
export async function googlePerson(
  deps: CloudAuthDeps,
  keys: SigningKeys,
  settings: GoogleSettings,
  { id_token, code, state }: GoogleSignIn,
): Promise<KnownPerson> {
  if ((id_token === undefined) === (code === undefined)) {
    throw new AppError("invalid", "invalid_request", "Send id_token, or code with state.");
  }
  const returned = id_token === undefined ? await takeSignIn(deps, "google", state) : undefined;
  const token = id_token ?? (await tokenOf(deps, settings, code ?? "", returned));
  if (token.length > tokenLengthMax) throw notSignedIn();
  const { payload } = await verified(deps.clock, keys, settings, token);
  if (returned !== undefined && payload.nonce !== returned.nonce) throw notSignedIn();
  const { sub, email, email_verified, name } = payload;
  if (typeof sub !== "string" || typeof email !== "string" || email_verified !== true) throw notSignedIn();
  const address = readEmail(email);
  await useOnce(deps, "google", token, new Date(((payload.exp ?? 0) + toleranceSeconds) * 1000));
  return {
    source: "google",
    subject: sub,
    email: address,
    name: typeof name === "string" && name.trim() !== "" ? name.trim().slice(0, 255) : address,
  };
}

async function tokenOf(
  deps: CloudAuthDeps,
  { clientId, clientSecret, tokenUrl }: GoogleSettings,
  code: string,
  returned: ReturnedSignIn | undefined,
): Promise<string> {
  const { verifier = "", redirectUri = "" } = returned ?? {};
  const tokens = await exchangeCode(deps, tokenUrl, {
    grant_type: "authorization_code",
    client_id: clientId,
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
  });
  if (typeof tokens.id_token !== "string") throw notSignedIn();
  return tokens.id_token;
}

async function verified(
  clock: Clock,
  keys: SigningKeys,
  { clientId, issuers }: GoogleSettings,
  token: string,
) {
  const keySet = await keys.for(kidOf(token));
  try {
    return await jwtVerify(token, createLocalJWKSet(keySet), {
      algorithms: ["RS256"],
      audience: clientId,
      issuer: [...issuers],
      currentDate: clock.now(),
      requiredClaims: ["sub", "iat", "exp", "email"],
      clockTolerance: toleranceSeconds,
    });
  } catch {
    throw notSignedIn();
  }
}

function kidOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).kid;
  } catch {
    throw notSignedIn();
  }
}

const keysMs = 3_600_000;
/** An unknown key id makes the keys be read again, at most once a minute. */
const againMs = 60_000;

/** The public keys of an identity provider, read when they are needed. */
export class SigningKeys {
  readonly #read: () => Promise<JSONWebKeySet>;
  readonly #clock: Clock;
  #known: { keys: JSONWebKeySet; atMs: number } | undefined;

  constructor(ports: IdentityPorts, url: string) {
    this.#clock = ports.clock;
    this.#read = async () => {
      const { body } = await callIdentity(ports, url);
      const { keys } = (body ?? {}) as Partial<JSONWebKeySet>;
      if (Array.isArray(keys)) return { keys };
      throw new AppError("upstream_failed", "provider_failed", "The identity provider published no keys.");
    };
  }

  async for(kid: string | undefined): Promise<JSONWebKeySet> {
    const known = this.#known;
    const ageMs = known === undefined ? Number.POSITIVE_INFINITY : this.#clock.monotonicMs() - known.atMs;
    const has = known?.keys.keys.some((key) => key.kid === kid) === true;
    if (known !== undefined && ageMs < (has ? keysMs : againMs)) return known.keys;
    const keys = await this.#read();
    this.#known = { keys, atMs: this.#clock.monotonicMs() };
    return keys;
  }
}
