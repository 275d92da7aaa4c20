import { Anchor, Group, Select, Stack, TextInput } from "@mantine/core";
import { Link } from "wouter";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { Icon } from "../../parts/icon.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { type Column, DataTable } from "../../parts/tables/data-table.tsx";
import { formatNumber } from "../../parts/text/format.ts";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { toolTexts as texts } from "../../texts/studio/resources.ts";
import { effectOf, type KnownTool } from "./merge-tools.ts";
import { toolTypeText } from "./tool-type-text.ts";
import { toolPaths, useTools } from "./use-tools.ts";

const columns: readonly Column<KnownTool>[] = [
  {
    id: "name",
    header: texts.name,
    width: "minmax(130px, 1.2fr)",
    cell: (tool) => (
      <Anchor component={Link} href={toolPaths.of(tool)} fw={560}>
        {tool.name}
      </Anchor>
    ),
  },
  {
    id: "type",
    header: texts.type,
    width: "90px",
    cell: ({ type }) => toolTypeText(type),
  },
  {
    id: "effect",
    header: texts.effect,
    width: "164px",
    from: "sm",
    cell: (tool) =>
      effectOf(tool) === undefined ? null : <StatusBadge tone="warn">{texts.changes}</StatusBadge>,
  },
  {
    id: "does",
    header: texts.does,
    width: "minmax(160px, 3fr)",
    from: "md",
    cell: ({ description }) => <span className="ar-soft">{description}</span>,
  },
  {
    id: "agents",
    header: texts.agents,
    width: "minmax(90px, 1fr)",
    from: "sm",
    cell: ({ agents }) => <Agents agents={agents} />,
  },
];

/** All tools, built in and of agents. */
export default function ToolsPage() {
  const query = useTools();
  const [search, setSearch] = useUrlState("q");
  const [type, setType] = useUrlState("type");
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead} />
      <Loaded query={query}>
        {(tools) => (
          <Stack gap="sm">
            <Group gap="sm" align="end">
              <TextInput
                flex={1}
                miw={180}
                type="search"
                label={texts.find}
                leftSection={<Icon name="search" />}
                value={search}
                onChange={(event) => setSearch(event.currentTarget.value)}
              />
              <Select
                w={140}
                label={texts.type}
                allowDeselect={false}
                data={[
                  { value: "", label: texts.allTypes },
                  ...[...new Set(tools.map((tool) => tool.type))].map((value) => ({
                    value,
                    label: toolTypeText(value),
                  })),
                ]}
                value={type}
                onChange={(value) => setType(value ?? "")}
              />
            </Group>
            <DataTable
              label={texts.table}
              columns={columns}
              rows={tools.filter(
                (tool) =>
                  (type === "" || tool.type === type) &&
                  `${tool.name} ${tool.description}`.toLowerCase().includes(search.toLowerCase()),
              )}
              keyOf={(tool) => `${tool.type} ${tool.name}`}
            />
          </Stack>
        )}
      </Loaded>
    </>
  );
}

function Agents({ agents }: { agents: readonly string[] }) {
  const [only] = agents;
  if (only === undefined) return <span className="ar-soft">{texts.none}</span>;
  if (agents.length > 1)
    return <span title={agents.join(", ")}>{texts.count(formatNumber(agents.length))}</span>;
  return (
    <Anchor component={Link} href={`/studio/agents/${encodeURIComponent(only)}`}>
      {only}
    </Anchor>
  );
}
