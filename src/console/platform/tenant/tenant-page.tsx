import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ComponentType, type ReactNode, useEffect } from "react";
import { Link } from "wouter";
import type { MemberRole } from "../../../contracts/platform/members.ts";
import { refusalOf } from "../../../contracts/refusal.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { useSession } from "../../session/session.tsx";
import { agentTexts, tenantPageTexts as texts } from "../../texts/platform/tenant.ts";
import { rightTexts } from "../../texts/platform/tenant-rights.ts";
import { forgetTenantId, useTenantId } from "../tenant-id.ts";
import { usePlatform } from "../use-platform.ts";
import { OwnRole, type ShownRight, useReason } from "./rights.tsx";
import { tenantPaths, tenantsPath } from "./tenant-paths.ts";
import { useTenants } from "./use-tenants.ts";

/** The tenant of a page. */
export interface ShownTenant {
  id: string;
  displayName: string;
  /** The person's role; `owner` for an operator. */
  role: MemberRole;
}

export interface TenantPageProps {
  tenant: ShownTenant;
}

/**
 * Wraps a page about the tenant in its address. Users without access to the tenant see a link back; those without the right that the whole
 * page needs see why.
 */
export function tenantPage(Content: ComponentType<TenantPageProps>, right?: ShownRight) {
  function View({ tenant }: TenantPageProps) {
    return (
      <OwnRole value={tenant.role}>
        {right === undefined ? (
          <Content tenant={tenant} />
        ) : (
          <RightGate right={right} tenantId={tenant.id}>
            <Content tenant={tenant} />
          </RightGate>
        )}
      </OwnRole>
    );
  }
  return function TenantPage() {
    const id = useTenantId() ?? "";
    const { signedIn } = useSession();
    const query = useTenants();
    return (
      <Loaded query={query}>
        {({ tenants }) => {
          const tenant = tenants.find((one) => one.id === id);
          if (tenant !== undefined) return <View key={id} tenant={tenant} />;
          return signedIn.operator ? <ForeignTenant key={id} id={id} View={View} /> : <MissingTenant />;
        }}
      </Loaded>
    );
  };
}

/** Another person's tenant: an operator may view any tenant. */
function ForeignTenant({ id, View }: { id: string; View: ComponentType<TenantPageProps> }) {
  const platform = usePlatform();
  const query = useQuery({
    queryKey: ["platform", "operator", "tenant-name", id],
    queryFn: async () => {
      const { display_name, status } = await platform.getTenant(id);
      return { displayName: display_name, isLive: status === "active" };
    },
  });
  if (refusalOf(query.error)?.status === 404) return <MissingTenant />;
  return (
    <Loaded query={query}>
      {({ displayName, isLive }) =>
        isLive ? <View tenant={{ id, displayName, role: "owner" }} /> : <MissingTenant />
      }
    </Loaded>
  );
}

function RightGate({
  right,
  tenantId,
  children,
}: {
  right: ShownRight;
  tenantId: string;
  children: ReactNode;
}) {
  const reason = useReason(right);
  if (reason === undefined) return children;
  const { agents } = tenantPaths(tenantId);
  return (
    <>
      <PageHeader title={rightTexts.title} up={{ href: agents, label: agentTexts.up }} />
      <EmptyState text={reason} />
    </>
  );
}

function MissingTenant() {
  useEffect(forgetTenantId, []);
  return (
    <>
      <PageHeader title={texts.missingTitle} />
      <EmptyState text={texts.missingText}>
        <Button component={Link} href={tenantsPath}>
          {texts.toTenants}
        </Button>
      </EmptyState>
    </>
  );
}
