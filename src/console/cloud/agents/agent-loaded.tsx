import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { CloudAgent } from "../../../contracts/cloud/agents.ts";
import { refusalOf } from "../../../contracts/refusal.ts";
import { usePathParts } from "../../parts/address/path-parts.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { useExisting } from "../../parts/states/use-existing.ts";
import { agentTexts as texts } from "../../texts/cloud/agents.ts";
import { orgPaths } from "../cloud-paths.ts";
import type { OrgPageProps } from "../org-page.tsx";
import { useCloud } from "../use-cloud.ts";

/** Reads the agent in the page's address. */
export function AgentLoaded({
  org,
  children,
}: OrgPageProps & { children: (agent: CloudAgent) => ReactNode }) {
  const cloud = useCloud();
  const name = usePathParts()[4] ?? "";
  const query = useExisting(
    useQuery({
      queryKey: ["cloud", org.slug, "agent", name],
      queryFn: () => cloud.agent(org.slug, name),
    }),
  );
  if (query.data === undefined && refusalOf(query.error)?.status === 404) {
    return (
      <>
        <PageHeader title={texts.title} up={{ href: orgPaths(org.slug).agents, label: texts.title }} />
        <EmptyState text={texts.missing} />
      </>
    );
  }
  if (query.data !== undefined) return children(query.data);
  return (
    <>
      <PageHeader title={name} up={{ href: orgPaths(org.slug).agents, label: texts.title }} />
      <Loaded query={query}>{children}</Loaded>
    </>
  );
}
