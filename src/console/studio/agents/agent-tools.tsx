import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import type { AgentDetail, McpServerView } from "../../../contracts/daemon/agents.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { type PlainColumn, PlainTable } from "../../parts/tables/plain-table.tsx";
import { formatNumber } from "../../parts/text/format.ts";
import { StatusBadge, type Tone } from "../../parts/text/status-badge.tsx";
import { agentsTexts as texts } from "../../texts/studio/agents.ts";
import { toolTypeText } from "../tools/tool-type-text.ts";

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
  { id: "type", header: texts.toolType, cell: ({ type }) => toolTypeText(type) },
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

const tones: Readonly<Record<McpServerView["status"], Tone>> = {
  idle: "plain",
  starting: "accent",
  ready: "good",
  down: "bad",
};

/** MCP servers of an agent, and the tools that the agent has from each. */
export function AgentServers({ servers }: { servers: readonly McpServerView[] }) {
  return (
    <Panel title={texts.servers}>
      {servers.map(({ name, status, message, tools_offered, tools_listed, notes = [] }) => (
        <div key={name} className="ar-agents-server">
          <div className="ar-agents-server-head">
            <strong>{name}</strong>
            <StatusBadge tone={tones[status]}>{texts.serverStatus[status]}</StatusBadge>
            <span className="ar-soft">
              {texts.serverTools(formatNumber(tools_offered), formatNumber(tools_listed))}
            </span>
          </div>
          {[...(message === undefined ? [] : [message]), ...notes].map((note) => (
            <div key={note} className="ar-break ar-soft">
              {note}
            </div>
          ))}
        </div>
      ))}
    </Panel>
  );
}
