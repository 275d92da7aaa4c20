import { randomBytes } from "node:crypto";
import type { ServiceApp } from "../../http/service-app.ts";
import type { GatewayCredentials } from "../../services/gateway/auth/credentials.ts";

/** A request with one of these is not the owner's: a person of the console, for example, comes with their access token. */
const ownCredentials = ["x-admin-token", "authorization", "x-api-key"];

/**
 * App for the control socket. Only the machine's owner opens it, so its requests are an operator's without a token of their own; the
 * operators' routes exist there in any case. `create` makes the gateway's app under these credentials.
 */
export function createGatewayControl(
  credentials: GatewayCredentials,
  create: (credentials: GatewayCredentials) => ServiceApp,
): ServiceApp {
  const adminToken = credentials.adminToken ?? randomBytes(32).toString("base64url");
  const app = create({ ...credentials, adminToken });
  return {
    ...app,
    handle(request, origin) {
      if (ownCredentials.some((name) => request.headers.has(name))) return app.handle(request, origin);
      const headers = new Headers(request.headers);
      headers.set("x-admin-token", adminToken);
      return app.handle(new Request(request, { headers }), origin);
    },
  };
}
