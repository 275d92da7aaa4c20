import { Anchor, Table } from "@mantine/core";
import { Link } from "wouter";
import type { AgentDetail } from "../../../contracts/daemon/agents.ts";
import { Panel } from "../../parts/panel.tsx";
import { agentsTexts as texts } from "../../texts/studio-agents.ts";

/** The tools of an agent, those that MCP servers offer now included. */
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
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.toolName}</Table.Th>
            <Table.Th>{texts.toolType}</Table.Th>
            <Table.Th>{texts.toolDescription}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {tools.map(({ name, type, description }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <Anchor component={Link} href={`/studio/tools/${encodeURIComponent(name)}`}>
                  {name}
                </Anchor>
              </Table.Td>
              <Table.Td>{type}</Table.Td>
              <Table.Td className="ar-soft">{description}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}
