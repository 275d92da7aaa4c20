import type { SignedInAs } from "../../contracts/console/session.ts";
import { type GatewayAdminClient, gatewayAdminClient } from "../../contracts/gateway/client.ts";
import type { Progress } from "../api/send-with-progress.ts";
import type { PageAddress } from "../api/server.ts";
import { useServer } from "../api/use-server.tsx";
import { useSession } from "../session/session.tsx";

/** A tenant whose conversations a person may answer. */
export type Desk = NonNullable<SignedInAs["desk"]>[number];

const chosenName = "argosy-desk";

/** Returns the tenant whose desk the session shows; undefined for the gateway's operators, who see all tenants. */
export function deskOf({ gateway, desk = [] }: SignedInAs, chosen: string | null): Desk | undefined {
  return gateway === true ? undefined : (desk.find(({ id }) => id === chosen) ?? desk[0]);
}

/** Returns the tenant whose desk this session shows; undefined for the gateway's operators. */
export const useDesk = (): Desk | undefined =>
  deskOf(useSession().signedIn, localStorage.getItem(chosenName));

/** Shows the desk of another tenant: everything is read anew. */
export function showDesk(id: string, inbox: string): void {
  localStorage.setItem(chosenName, id);
  location.assign(inbox);
}

const clientAt = (address: PageAddress, desk: Desk | undefined): GatewayAdminClient =>
  gatewayAdminClient({ ...address, ...(desk !== undefined && { headers: { "x-tenant-id": desk.id } }) });

/** Returns the gateway's client as its operator, or as the desk of a tenant. */
export function useGateway(): GatewayAdminClient {
  const desk = useDesk();
  return useServer().client("gateway", (address) => clientAt(address, desk), desk?.id);
}

/** Returns a function that makes the same client for an upload, which says how much is sent. */
export function useUploadGateway(): (progress: Progress) => GatewayAdminClient {
  const server = useServer();
  const desk = useDesk();
  return (progress) => clientAt(server.uploadAddress("gateway", progress), desk);
}
