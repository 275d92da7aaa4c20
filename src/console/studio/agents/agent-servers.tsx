import type { McpServerView } from "../../../contracts/daemon/agents.ts";
import { formatNumber } from "../../parts/format.ts";
import { Panel } from "../../parts/panel.tsx";
import { StatusBadge, type Tone } from "../../parts/status-badge.tsx";
import { agentsTexts as texts } from "../../texts/studio-agents.ts";

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
