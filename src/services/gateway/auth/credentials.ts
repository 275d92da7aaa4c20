import { Elysia } from "elysia";
import { documented } from "../../../http/openapi/documented-hook.ts";
import { callContext } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import { equalSecrets } from "../../../kit/secrets/equal-secrets.ts";

/** A key with which the programs of a tenant send. */
export interface SendKey {
  tenantId: string;
  key: string;
}

/** The three planes of credentials. The routes of an absent one don't exist. */
export interface GatewayCredentials {
  /** Empty: no tenant sends by itself. */
  sendKeys: readonly SendKey[];
  trustedSenderKey?: string | undefined;
  adminToken?: string | undefined;
}

/** Guard for tenants' routes; puts `tenantId` into the context. */
export const sendCredential = (keys: readonly SendKey[]) =>
  new Elysia({ name: "gateway-send-credential" }).use(callContext()).derive(
    { as: "scoped" },
    documented(
      async ({ request }: { request: Request }) => ({
        tenantId: tenantOf(keys, request.headers.get("x-gateway-key")),
      }),
      { security: [{ gatewayKey: [] }] },
    ),
  );

/** Guard for the routes of services that every tenant trusts. */
export const senderCredential = (key: string) =>
  new Elysia({ name: "gateway-sender-credential" }).use(callContext()).derive(
    { as: "scoped" },
    documented(
      async ({ request }: { request: Request }) => {
        requireSecret(request.headers, "X-Gateway-Sender-Key", key);
        return {};
      },
      { security: [{ gatewaySenderKey: [] }] },
    ),
  );

/** Guard for operators' routes. */
export const adminCredential = (token: string) =>
  new Elysia({ name: "gateway-admin-credential" }).use(callContext()).derive(
    { as: "scoped" },
    documented(
      async ({ request }: { request: Request }) => {
        requireAdmin(request.headers, token);
        return {};
      },
      { security: [{ gatewayAdminToken: [] }] },
    ),
  );

/** Compares with every key, so that the time does not tell which one was near. */
function tenantOf(keys: readonly SendKey[], sent: string | null): string {
  let found: string | undefined;
  for (const { tenantId, key } of keys) {
    if (sent !== null && equalSecrets(sent, key)) found = tenantId;
  }
  if (found !== undefined) return found;
  throw unauthorized("X-Gateway-Key");
}

/** Throws 401 without the operators' token. */
export const requireAdmin = (headers: Headers, token: string): void =>
  requireSecret(headers, "X-Admin-Token", token);

function requireSecret(headers: Headers, header: string, secret: string): void {
  const sent = headers.get(header);
  if (sent === null || !equalSecrets(sent, secret)) throw unauthorized(header);
}

const unauthorized = (header: string) =>
  new AppError("unauthorized", "unauthorized", `This request needs a valid ${header} header.`);
