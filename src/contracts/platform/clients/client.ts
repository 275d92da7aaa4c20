import type { FetchLike } from "../../../kit/fetch/local-fetch.ts";
import { platformCalls } from "./call-platform.ts";
import { operatorClient } from "./operator-client.ts";
import { peopleClient } from "./people-client.ts";
import { runClient } from "./run-client.ts";
import { tenantClient } from "./tenant-client.ts";

/** Credential of the caller. None is needed for signing in, and on the machine's control socket. */
export interface PlatformCredential {
  /** Key of a tenant: `apk_…`. */
  apiKey?: string;
  /** Token of a person. */
  accessToken?: string;
  /** Tenant that a person acts for. */
  tenantId?: string;
  operatorToken?: string;
}

/** Address of a platform: over the network, in this process, or through its control socket. */
export interface PlatformAddress extends PlatformCredential {
  fetch: FetchLike;
  /** For example `http://127.0.0.1:8080`. */
  baseUrl: string;
}

/** Typed client for the platform's API. Throws the AppError that the platform sent. */
export function platformClient({ fetch, baseUrl, ...credential }: PlatformAddress) {
  const calls = platformCalls({ fetch, baseUrl, headers: headersOf(credential) });
  return {
    ...peopleClient(calls),
    ...tenantClient(calls),
    ...runClient(calls),
    ...operatorClient(calls),
  };
}

export type PlatformClient = ReturnType<typeof platformClient>;

function headersOf({ apiKey, accessToken, tenantId, operatorToken }: PlatformCredential) {
  return {
    ...(apiKey === undefined ? {} : { "x-api-key": apiKey }),
    ...(accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` }),
    ...(tenantId === undefined ? {} : { "x-tenant-id": tenantId }),
    ...(operatorToken === undefined ? {} : { "x-operator-token": operatorToken }),
  };
}
