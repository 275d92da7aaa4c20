import type { GithubSignIn } from "../../../contracts/cloud/auth.ts";
import { fieldsOf } from "../../../kit/json/is-record.ts";
import { readEmail } from "../../../kit/text/email-address.ts";
import { callIdentity, exchangeCode, notSignedIn } from "./call-identity.ts";
import type { CloudAuthDeps } from "./deps.ts";
import type { KnownPerson } from "./open-account.ts";
import { takeSignIn } from "./sign-in-states.ts";

export interface GithubSettings {
  clientId: string;
  clientSecret: string;
  authorizationUrl: string;
  tokenUrl: string;
  apiUrl: string;
}

/** Returns the person of a code. Throws 401 unless GitHub vouches for it and the account has a verified primary e-mail address. */
export async function githubPerson(
  deps: CloudAuthDeps,
  { clientId, clientSecret, tokenUrl, apiUrl }: GithubSettings,
  { code, state }: GithubSignIn,
): Promise<KnownPerson> {
  const { verifier, redirectUri } = await takeSignIn(deps, "github", state);
  const { access_token: token } = await exchangeCode(deps, tokenUrl, {
    client_id: clientId,
    client_secret: clientSecret,
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
  });
  if (typeof token !== "string") throw notSignedIn();
  const read = async (path: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const { status, body } = await callIdentity(deps, `${apiUrl}${path}`, { headers });
    if (status !== 200) throw notSignedIn();
    return body;
  };
  const { id, login, name } = fieldsOf(await read("/user"));
  const addresses = await read("/user/emails");
  const primary = (Array.isArray(addresses) ? addresses : [])
    .map(fieldsOf)
    .find((one) => one.primary === true && one.verified === true);
  if ((typeof id !== "number" && typeof id !== "string") || typeof primary?.email !== "string")
    throw notSignedIn();
  const displayName = [name, login].find((one) => typeof one === "string" && one.trim() !== "");
  const email = readEmail(primary.email);
  return {
    source: "github",
    subject: String(id),
    email,
    name: String(displayName ?? email)
      .trim()
      .slice(0, 255),
  };
}
