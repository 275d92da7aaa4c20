import type { OAuthMetadata } from "@modelcontextprotocol/sdk/shared/auth.js";

/*
 * Why a login failed, in words for the person who tries it. Of what servers say, only addresses, codes and scopes are repeated.
 */

/** What to do about the error codes of OAuth 2 (RFC 6749, 7591, 8707). */
const hints: Readonly<Record<string, string>> = {
  invalid_client: "it does not know our client, or its secret is wrong; check config.oauth",
  unauthorized_client:
    "our client may not ask for this kind of login; change that at the authorization server",
  invalid_grant: "the sign-in was too old, or was used before; sign in again",
  invalid_scope: "it does not know one of the scopes; check config.oauth.scopes",
  invalid_target: "it does not know the server's address as a resource; check config.url",
  invalid_redirect_uri:
    "it does not accept our redirect address; register it there (`argosy mcp login --port`)",
  invalid_client_metadata: "it registers no such client; register one there, and name it in config.oauth",
  access_denied: "access was denied",
};

/** The reason in what the SDK threw. `isRegistered`: the client is one that somebody registered. */
export function describeLoginFault(thrown: unknown, isRegistered: boolean): string {
  const message = thrown instanceof Error ? thrown.message : "";
  const code = thrown instanceof Error && "errorCode" in thrown ? String(thrown.errorCode) : "";
  if (code === "server_error" || code === "") return describeMessage(message);
  const known = /^[a-z_]{1,60}$/.test(code) ? code : "an error";
  const hint = known === "invalid_client" && !isRegistered ? "sign in again" : hints[known];
  return `its authorization server answered ${known}${hint === undefined ? "" : `: ${hint}`}`;
}

function describeMessage(message: string): string {
  const [, named, expected] =
    /^Protected resource (\S{1,500}) does not match expected (\S{1,500})/.exec(message) ?? [];
  if (named !== undefined)
    return `it says that its address is ${named}, which does not match ${expected}; set config.url to that address, or correct its metadata`;
  if (message.includes("does not support dynamic client registration"))
    return "its authorization server registers no clients by itself; register one there, and name it in config.oauth.client_id";
  const [, missing] =
    /does not support ((?:response type|code challenge method) \w{1,20})/.exec(message) ?? [];
  if (missing !== undefined) return `its authorization server does not support the ${missing}`;
  const [, status] = /\bHTTP (\d{3})\b/.exec(message) ?? [];
  if (status !== undefined) return `its authorization server answered ${status}`;
  return "its authorization server gave no usable answer";
}

/** What is wrong with the issuer in the answer to a login (RFC 9207); undefined if nothing is. */
export function faultOfIssuer(
  iss: string | undefined,
  metadata: { issuer?: string } | OAuthMetadata | undefined,
): string | undefined {
  const issuer = metadata?.issuer;
  const isPromised =
    metadata !== undefined &&
    "authorization_response_iss_parameter_supported" in metadata &&
    metadata.authorization_response_iss_parameter_supported === true;
  if (iss === undefined)
    return isPromised ? "the answer does not name its issuer, although its server promises that" : undefined;
  if (issuer === undefined || iss === issuer) return undefined;
  return `the answer came from ${shown(iss)}, and ${shown(issuer)} was asked`;
}

/** The reason why the metadata of an authorization server is not used. */
export function describeForeignMetadata(server: string, issuer: string): string {
  return `the metadata of ${shown(server)} is that of another issuer, ${shown(issuer)}`;
}

/** The reason why a client that somebody registered is not used with another authorization server. */
export function describeOtherIssuer(before: string, now: string): string {
  return `its authorization server was ${shown(before)}, and is now ${shown(now)}; if config.oauth is right for it, log out first (\`argosy mcp logout\`)`;
}

/** The reason why a call was refused for a scope. */
export function describeMissing(scope: string | undefined): string {
  const named = scope === undefined ? "a scope" : `the scope ${shown(scope)}`;
  return `its login lacks ${named}; a person has to log in again by \`argosy mcp login\`, which then asks for it`;
}

/** Text of a server without what could pass for anything else. */
const shown = (text: string): string => text.replace(/[^\w:/.?&=%~+\-@# ]/g, "").slice(0, 500);
