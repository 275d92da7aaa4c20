import type { CloudTokens } from "../../../contracts/cloud/auth.ts";
import type { SessionRequest } from "../../../contracts/console/session.ts";
import type { SignedIn } from "../../../contracts/platform/auth.ts";
import type { PlatformClient } from "../../../contracts/platform/clients/client.ts";
import type { Call } from "../../../http/call.ts";
import { callerAddress } from "../../../http/front-door/caller-address.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { ConsoleDeps } from "../deps.ts";
import { targetsBy } from "../targets.ts";
import { cloudFor } from "./cloud-door.ts";
import { isOperator } from "./console-state.ts";
import { byLink, digest, type Grants, type MemberGrant, type PersonGrant } from "./grants.ts";
import { isOpen, letsIn } from "./open-door.ts";
import { platformFor, type Received } from "./platform-door.ts";

/** Returns the grants for the credential in `body`. Throws AppError if it is refused. */
export async function grantsFor(
  deps: ConsoleDeps,
  home: string,
  body: SessionRequest,
  received: Received,
  call: Call,
  keepDevice: (cookie: string) => void = () => {},
): Promise<Grants> {
  if ("link" in body) return byOwnersLink(deps, body.link, received);
  if ("token" in body) return byToken(deps, body.token, callerAddress(call, received.request));
  if ("email" in body || "password_link" in body)
    return { person: await byPassword(deps, body, received, keepDevice) };
  if ("cloud" in body) return { member: await byCloud(deps, body.cloud, received) };
  if (isOpen(deps, home, received.request)) return { visitor: true };
  throw new AppError("unauthorized", "credential_needed", "The console needs a credential here.", {
    details: { hint: "Sign in, or open the link that `argosy console` prints on the machine itself." },
  });
}

async function byOwnersLink(deps: ConsoleDeps, link: string, received: Received): Promise<Grants> {
  deps.links.redeem(link);
  // Without an API token, an exposed service refuses network callers. The link doesn't change that.
  const isUsable = targetsBy(deps.targets, "api_token").some(
    (target) => deps.apiToken !== undefined || letsIn(target, received.request),
  );
  const owner = await deps.ownerSession?.();
  const member = await deps.members?.openOwnerSession();
  return {
    local: true,
    ...(isUsable && { daemon: byLink }),
    ...(targetsBy(deps.targets, "admin_token").length > 0 && { admin: byLink }),
    ...(member && { member: memberOf(member) }),
    ...(owner && { person: { ...personOf(owner), operator: true } }),
  };
}

function byToken(
  { targets, apiToken, operatorToken, adminToken, attempts }: ConsoleDeps,
  token: string,
  address: string,
): Grants {
  const sent = digest(token);
  const isOf = (configured: string | undefined) => configured !== undefined && sent === digest(configured);
  const grants: Grants = {
    ...(targetsBy(targets, "api_token").length > 0 && isOf(apiToken) && { daemon: sent }),
    ...(targetsBy(targets, "person").length > 0 && isOf(operatorToken) && { operator: sent }),
    ...(targetsBy(targets, "admin_token").length > 0 && isOf(adminToken) && { admin: sent }),
  };
  if (Object.keys(grants).length > 0) return grants;
  // Only wrong tokens are refused for their number: behind a proxy, callers share an address.
  attempts.admit(address);
  attempts.failed(address);
  throw new AppError("unauthorized", "invalid_token", "This is none of the tokens of this server.", {
    details: {
      hint: "The operator of this server has them as PLATFORM_API_TOKEN, PLATFORM_OPERATOR_TOKEN and GATEWAY_ADMIN_TOKEN.",
    },
  });
}

async function byPassword(
  deps: ConsoleDeps,
  body: Extract<SessionRequest, { password: string }>,
  received: Received,
  keepDevice: (cookie: string) => void,
): Promise<PersonGrant> {
  const platform = platformFor(deps, received, undefined, ({ headers }) => {
    for (const cookie of headers.getSetCookie()) keepDevice(cookie);
  });
  const signedIn = await platformSignIn(platform, body);
  if (signedIn.passwordExpired) return { ...personOf(signedIn), operator: false, expired: true };
  const operator = await isOperator(platformFor(deps, received, signedIn.accessToken));
  return { ...personOf(signedIn), operator };
}

function platformSignIn(
  platform: PlatformClient,
  body: Extract<SessionRequest, { password: string }>,
): Promise<SignedIn> {
  const { password } = body;
  if ("password_link" in body) return platform.usePasswordLink({ token: body.password_link, password });
  const { email, display_name } = body;
  return display_name === undefined
    ? platform.login({ email, password })
    : platform.register({ email, password, displayName: display_name });
}

async function byCloud(
  deps: ConsoleDeps,
  body: Extract<SessionRequest, { cloud: unknown }>["cloud"],
  received: Received,
): Promise<MemberGrant> {
  const cloud = cloudFor(deps, received);
  if ("email" in body) return memberOf(await cloud.devLogin(body));
  const { vendor, ...returned } = body;
  return memberOf(await cloud[vendor](returned));
}

const memberOf = ({ access_token, refresh_token }: CloudTokens): MemberGrant => ({
  accessToken: access_token,
  refreshToken: refresh_token,
});

const personOf = ({ user, accessToken, refreshToken }: SignedIn) => ({
  id: user.id,
  email: user.email,
  display_name: user.displayName,
  accessToken,
  refreshToken,
});
