import { randomBytes } from "node:crypto";
import { and, eq, gt, lte } from "drizzle-orm";
import type { SignInStarted } from "../../../contracts/cloud/auth.ts";
import { AppError } from "../../../kit/app-error.ts";
import { credentialDigest } from "../../../kit/credential-digest.ts";
import type { SealContext } from "../../../storage/sealing/seal.ts";
import { notSignedIn } from "./call-identity.ts";
import type { CloudAuthDeps } from "./deps.ts";
import type { SignInSource } from "./schema.ts";

const stateSeconds = 600;

/** A sign-in whose browser came back with its state. */
export interface ReturnedSignIn {
  /** PKCE verifier (RFC 7636). */
  verifier: string;
  /** Nonce that the provider puts into its ID token (OpenID Connect). */
  nonce: string;
  redirectUri: string;
}

/** Where a person signs in, and what the page there is told. */
export interface SignInPage {
  source: SignInSource;
  authorizationUrl: string;
  clientId: string;
  scope: string;
  /** True for an OpenID Connect provider, which returns the nonce in its ID token. */
  sendsNonce?: boolean;
}

/** Begins a sign-in: stores a state with a PKCE verifier, and returns the address of the provider's page. */
export async function startSignIn(
  { storage, clock, sealer }: CloudAuthDeps,
  { source, authorizationUrl, clientId, scope, sendsNonce = false }: SignInPage,
  redirectUri: string,
): Promise<SignInStarted> {
  if (sealer === undefined) {
    throw new AppError("unavailable", "sealing_keys_needed", "This server has no sealing keys.", {
      details: { hint: "Its operator sets ARGOSY_SEALING_KEYS." },
    });
  }
  const { signInStates } = storage.tables;
  const state = randomBytes(32).toString("base64url");
  const verifier = randomBytes(32).toString("base64url");
  const hash = credentialDigest(state);
  const now = clock.now();
  await storage.transact(async (tx) => {
    await tx.delete(signInStates).where(lte(signInStates.expiresAt, now));
    await tx.insert(signInStates).values({
      hash,
      source,
      verifier: sealer.seal(verifier, sealOf(hash)),
      redirectUri,
      expiresAt: new Date(now.getTime() + stateSeconds * 1000),
    });
  });
  const url = new URL(authorizationUrl);
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: new Bun.CryptoHasher("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    ...(sendsNonce && { nonce: nonceOf(verifier) }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { authorization_url: url.href, state, expires_in: stateSeconds };
}

/** Returns the sign-in of a state, which works once. Throws 401 if it is unknown, used, expired or of another provider. */
export async function takeSignIn(
  { storage, clock, sealer }: CloudAuthDeps,
  source: SignInSource,
  state: string | undefined,
): Promise<ReturnedSignIn> {
  const { signInStates } = storage.tables;
  const hash = credentialDigest(state ?? "");
  const [taken] = await storage.transact((tx) =>
    tx
      .delete(signInStates)
      .where(
        and(
          eq(signInStates.hash, hash),
          eq(signInStates.source, source),
          gt(signInStates.expiresAt, clock.now()),
        ),
      )
      .returning({ verifier: signInStates.verifier, redirectUri: signInStates.redirectUri }),
  );
  if (taken === undefined || sealer === undefined) {
    throw new AppError(
      "unauthorized",
      "unauthorized",
      `The state is missing, unknown, used or expired. Begin again at /auth/${source}/start.`,
    );
  }
  const verifier = sealer.open(taken.verifier, sealOf(hash));
  return { verifier, nonce: nonceOf(verifier), redirectUri: taken.redirectUri };
}

/** Derived from the verifier, which only this server knows, so it needs no place of its own. */
const nonceOf = (verifier: string) =>
  new Bun.CryptoHasher("sha256").update(`nonce:${verifier}`).digest("base64url");

/** Records the use of an ID token until it expires. Throws 401 if it was used before. */
export async function useOnce(
  { storage, clock }: Pick<CloudAuthDeps, "storage" | "clock">,
  source: SignInSource,
  token: string,
  expiresAt: Date,
): Promise<void> {
  const { signInStates } = storage.tables;
  const added = await storage.transact(async (tx) => {
    await tx.delete(signInStates).where(lte(signInStates.expiresAt, clock.now()));
    // No state has a digest like this: a state is 32 bytes, and a token has dots.
    const use = { hash: credentialDigest(token), source, verifier: "", redirectUri: "", expiresAt };
    return tx.insert(signInStates).values(use).onConflictDoNothing().returning({ hash: signInStates.hash });
  });
  if (added.length === 0) throw notSignedIn();
}

const sealOf = (name: string): SealContext => ({ purpose: "sign_in_state", tenant: "", name });
