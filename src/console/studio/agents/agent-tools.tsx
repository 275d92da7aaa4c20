import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import type { AgentDetail } from "../../../contracts/daemon/agents.ts";
import { Panel } from "../../parts/panel.tsx";
import { type PlainColumn, PlainTable } from "../../parts/plain-table.tsx";
import { agentsTexts as texts } from "../../texts/studio-agents.ts";

const columns: readonly PlainColumn<AgentDetail["tools"][number]>[] = [
  {
    id: "name",
    header: texts.toolName,
    cell: ({ name }) => (
      <Anchor component={Link} href={`/studio/tools/${encodeURIComponent(name)}`}>
        {name}
      </Anchor>
    ),
  },
  { id: "type", header: texts.toolType, cell: ({ type }) => type },
  {
    id: "description",
    header: texts.toolDescription,
    className: "ar-soft",
    cell: ({ description }) => description,
  },
];

/** Tools of an agent, including those that its MCP servers offer now. */
export function AgentTools({ tools }: Pick<AgentDetail, "tools">) {
  if (tools.length === 0) {
    return (
      <Panel title={texts.tools}>
        <span className="ar-soft">{texts.noTools}</span>
      </Panel>
    );
  }
  return (
    <Panel title={texts.tools} flush>
      <PlainTable label={texts.tools} columns={columns} rows={tools} keyOf={({ name }) => name} />
    </Panel>
  );
}
