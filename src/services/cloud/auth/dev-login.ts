import type { CloudTokens, DevLogin } from "../../../contracts/cloud/auth.ts";
import { sessionSource } from "../../../control-plane/sessions/session-source.ts";
import type { Call } from "../../../http/call.ts";
import { isForwarded } from "../../../http/front-door/front-door.ts";
import { createHostRule } from "../../../http/front-door/host-rule.ts";
import { AppError } from "../../../kit/app-error.ts";
import { readEmail } from "../../../kit/text/email-address.ts";
import type { CloudAuthDeps } from "./deps.ts";
import { openAccount } from "./open-account.ts";

/** Signs in any caller under the given e-mail address, without a password. Throws 403 `dev_login_disabled` where that is not allowed. */
export async function devLogin(
  deps: CloudAuthDeps,
  { email, name }: DevLogin,
  { call, request }: { call: Call; request: Request },
): Promise<CloudTokens> {
  const { dev } = deps.signIn;
  if (dev === "off" || (dev === "local" && !isLocal(call, request))) {
    throw new AppError(
      "forbidden",
      "dev_login_disabled",
      "The development login is disabled here. Its operator may set CLOUD_DEV_LOGIN=true.",
    );
  }
  return openAccount(
    deps,
    { source: "dev", subject: undefined, email: readEmail(email), name: name.trim() },
    sessionSource(call, request),
  );
}

const isLocalHost = createHostRule([]);
const loopback = /^(?:::ffff:)?127(?:\.\d{1,3}){3}$|^::1$/;

/** Returns true if a request came from this machine under a local name, and no proxy forwarded it. */
function isLocal(call: Call, request: Request): boolean {
  if (call.peer !== "network") return true;
  const address = call.connection?.requestIP(request)?.address ?? "";
  const host = request.headers.get("host") ?? "";
  return loopback.test(address) && isLocalHost(host) && !isForwarded(request.headers);
}
