import { type PlatformClient, platformClient } from "../../contracts/platform/clients/client.ts";
import type { Server } from "../api/server.ts";
import type { Command, CommandContext } from "../area.ts";
import { commandTexts as texts } from "../texts/shell.ts";
import { tenantPaths, tenantsPath } from "./tenant/tenant-paths.ts";
import { tenantsKey } from "./tenant/use-tenants.ts";

const clientOf = (server: Server, tenantId = ""): PlatformClient =>
  server.client(
    "platform",
    (address) => platformClient({ ...address, ...(tenantId === "" ? {} : { tenantId }) }),
    tenantId,
  );

/** Actions of people; an operator's actions are pages. */
export function actionsFor({ signedIn, parameters: { tenant } }: CommandContext): Command[] {
  if (signedIn.person === undefined) return [];
  const keywords = texts.createWords;
  return [
    { label: texts.newTenant, href: `${tenantsPath}?new=tenant`, icon: "plus", keywords },
    ...(tenant === undefined
      ? []
      : [
          {
            label: texts.newTenantAgent,
            href: tenantPaths(tenant).newAgent,
            icon: "plus" as const,
            keywords,
          },
        ]),
  ];
}

/** A person's tenants; for operators, also all others that the text finds. */
export async function findTenants(server: Server, { signedIn, text }: CommandContext): Promise<Command[]> {
  const platform = clientOf(server);
  const own = signedIn.person === undefined ? [] : (await platform.listTenants()).tenants;
  const all = signedIn.operator
    ? (await platform.searchTenants({ limit: 20, ...(text.trim() !== "" && { search: text.trim() }) }))
        .tenants
    : [];
  return [
    ...own.map(
      ({ id, displayName, crName }): Command => ({
        label: displayName,
        description: `${texts.tenant} · ${crName}`,
        href: tenantPaths(id).agents,
        icon: "tenants",
        keywords: id,
      }),
    ),
    ...all.map(
      ({ id, display_name, cr_name }): Command => ({
        label: display_name,
        description: `${texts.operatedTenant} · ${cr_name}`,
        href: `/platform/operator/tenants/${encodeURIComponent(id)}`,
        icon: "tenants",
        keywords: id,
      }),
    ),
  ];
}

/** Agents of the tenant that was shown last. */
export async function findAgents(
  server: Server,
  { parameters: { tenant = "" } }: CommandContext,
): Promise<Command[]> {
  if (!(await isOwn(server, tenant))) return [];
  const { agents } = await clientOf(server, tenant).listAgents();
  return agents.map(({ name, display_name }) => ({
    label: display_name,
    description: name,
    href: tenantPaths(tenant).agent(name),
    icon: "agents",
  }));
}

/** Counts a tenant's approvals that wait for a person. */
export async function countWaiting(server: Server, tenant: string): Promise<number> {
  if (!(await isOwn(server, tenant))) return 0;
  const { approvals } = await clientOf(server, tenant).listApprovals({ status: "pending", limit: 100 });
  return approvals.length;
}

/** The address may name a tenant that doesn't exist or is somebody else's; nothing is asked for it. */
async function isOwn(server: Server, tenant: string): Promise<boolean> {
  const { tenants } = await server.queries.ensureQueryData({
    queryKey: tenantsKey,
    queryFn: () => clientOf(server).listTenants(),
  });
  return tenants.some(({ id }) => id === tenant);
}
