import { randomBytes } from "node:crypto";
import { and, eq, gt, lte } from "drizzle-orm";
import type { SignInStarted } from "../../../contracts/cloud/auth.ts";
import { AppError } from "../../../kit/app-error.ts";
import { credentialDigest } from "../../../kit/credential-digest.ts";
import type { SealContext } from "../../../storage/sealing/seal.ts";
import type { AuthDeps } from "./deps.ts";
import type { SignInSource } from "./schema.ts";

const stateSeconds = 600;

/** A sign-in whose browser came back with its state. */
export interface ReturnedSignIn {
  /** PKCE verifier (RFC 7636). */
  verifier: string;
  redirectUri: string;
}

/** Where a person signs in, and what the page there is told. */
export interface SignInPage {
  source: SignInSource;
  authorizationUrl: string;
  clientId: string;
  scope: string;
}

/** Begins a sign-in: stores a state with a PKCE verifier, and returns the address of the provider's page. */
export async function startSignIn(
  { storage, clock, sealer }: AuthDeps,
  { source, authorizationUrl, clientId, scope }: SignInPage,
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
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { authorization_url: url.href, state, expires_in: stateSeconds };
}

/** Returns the sign-in of a state, which works once. Throws 401 if it is unknown, used, expired or of another provider. */
export async function takeSignIn(
  { storage, clock, sealer }: AuthDeps,
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
  return { verifier: sealer.open(taken.verifier, sealOf(hash)), redirectUri: taken.redirectUri };
}

const sealOf = (name: string): SealContext => ({ purpose: "sign_in_state", tenant: "", name });
