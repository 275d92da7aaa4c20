import { Anchor, Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { PlatformAgent } from "../../../../contracts/platform/agents.ts";
import type { AgentConsumption } from "../../../../contracts/platform/observability.ts";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { type Column, DataTable } from "../../../parts/tables/data-table.tsx";
import { cursorPages } from "../../../parts/tables/list-pages.ts";
import { NextPageFailure, paging } from "../../../parts/tables/next-page.tsx";
import { formatNumber } from "../../../parts/text/format.ts";
import { Instant } from "../../../parts/text/instant.tsx";
import { creditsText } from "../../../parts/text/money.ts";
import { agentListTexts as texts } from "../../../texts/platform/tenant.ts";
import { usePlatform } from "../../use-platform.ts";
import { Permitted, RightNote, useRights } from "../rights.tsx";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { tenantPaths } from "../tenant-paths.ts";
import { useUsage } from "../usage/use-usage.ts";

export default tenantPage(AgentsPage);

function AgentsPage({ tenant }: TenantPageProps) {
  const platform = usePlatform(tenant.id);
  const query = useInfiniteQuery(
    cursorPages(["platform", tenant.id, "agents", "list"], (page) => platform.listAgents(page)),
  );
  const usage = useUsage(tenant.id);
  const paths = tenantPaths(tenant.id);
  const may = useRights();
  const create = (
    <Permitted right="agents">
      <Button component={Link} href={paths.newAgent}>
        {texts.create}
      </Button>
    </Permitted>
  );
  const used = usage.data && new Map(usage.data.agents.map((agent) => [agent.agent_id, agent.month]));
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead(tenant.displayName)}>
        {(query.data?.pages[0]?.agents ?? []).length > 0 && create}
      </PageHeader>
      <RightNote right="agents" />
      <Loaded query={query}>
        {({ pages }) => (
          <>
            <DataTable
              label={texts.title}
              columns={columnsFor(paths, used).filter(({ id }) => id !== "run" || may("runs"))}
              rows={pages.flatMap(({ agents }) => agents)}
              keyOf={({ id }) => id}
              empty={
                <EmptyState title={texts.noneTitle} text={texts.none}>
                  {create}
                </EmptyState>
              }
              {...paging(query)}
            />
            <NextPageFailure query={query} />
          </>
        )}
      </Loaded>
    </>
  );
}

function columnsFor(
  paths: ReturnType<typeof tenantPaths>,
  used: ReadonlyMap<string, AgentConsumption["month"]> | undefined,
): Column<PlatformAgent>[] {
  return [
    {
      id: "name",
      header: texts.name,
      width: "minmax(130px, 1.4fr)",
      cell: ({ name }) => (
        <Anchor component={Link} href={paths.agent(name)} fw={600}>
          {name}
        </Anchor>
      ),
    },
    {
      id: "shown",
      header: texts.shownName,
      width: "minmax(100px, 1fr)",
      from: "md",
      cell: ({ display_name }) => display_name,
    },
    {
      id: "version",
      header: texts.version,
      width: "70px",
      align: "end",
      from: "sm",
      cell: ({ current_version }) => formatNumber(current_version),
    },
    {
      id: "runs",
      header: texts.runs,
      width: "124px",
      align: "end",
      from: "sm",
      cell: ({ id }) => (used === undefined ? "–" : formatNumber(used.get(id)?.invocations ?? 0)),
    },
    {
      id: "credits",
      header: texts.credits,
      width: "142px",
      align: "decimal",
      from: "md",
      cell: ({ id }) => (used === undefined ? "–" : creditsText(used.get(id)?.credits_charged_micros ?? 0)),
    },
    {
      id: "updated",
      header: texts.updatedAt,
      width: "110px",
      from: "lg",
      cell: ({ updated_at }) => <Instant iso={updated_at} />,
    },
    {
      id: "run",
      header: texts.ask,
      width: "60px",
      align: "end",
      cell: ({ name }) => (
        <Anchor component={Link} href={paths.run(name)} aria-label={texts.askAgent(name)}>
          {texts.run}
        </Anchor>
      ),
    },
  ];
}
