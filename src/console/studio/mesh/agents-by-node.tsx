import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import type { MeshEntry } from "../../../contracts/daemon/mesh.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { PlainTable } from "../../parts/tables/plain-table.tsx";
import { meshTexts as texts } from "../../texts/studio/mesh.ts";

/** Which nodes have each agent, and which serve each model. */
export function AgentsByNode({ nodes }: { nodes: readonly MeshEntry[] }) {
  const agents = nodesOf(nodes, ({ agents: names }) => names);
  const models = nodesOf(nodes, ({ models: names = [] }) => names);
  const bound = new Set(nodes.flatMap(({ bound_agents = [] }) => bound_agents));
  return (
    <>
      <Panel title={texts.byAgent} flush>
        <PlainTable
          label={texts.byAgent}
          rows={agents}
          keyOf={({ name }) => name}
          empty={<Text className="ar-soft ar-panel-body">{texts.noAgents}</Text>}
          columns={[
            {
              id: "agent",
              header: texts.agent,
              cell: ({ name }) => (
                <>
                  <Anchor
                    component={Link}
                    href={`/studio/agents/${encodeURIComponent(name)}`}
                    className="ar-break"
                  >
                    {name}
                  </Anchor>
                  {bound.has(name) && <div className="ar-soft">{texts.keptOn}</div>}
                </>
              ),
            },
            {
              id: "nodes",
              header: texts.runsOn,
              className: "ar-break",
              cell: ({ on }) => on.join(", "),
            },
          ]}
        />
      </Panel>
      {models.length > 0 && (
        <Panel title={texts.models} flush>
          <PlainTable
            label={texts.models}
            rows={models}
            keyOf={({ name }) => name}
            columns={[
              { id: "model", header: texts.model, className: "ar-mono ar-break", cell: ({ name }) => name },
              {
                id: "nodes",
                header: texts.runsOn,
                className: "ar-break",
                cell: ({ on }) => on.join(", "),
              },
            ]}
          />
        </Panel>
      )}
    </>
  );
}

interface NamedNodes {
  name: string;
  on: string[];
}

/** Returns each name with the nodes that have it, in the order of names. */
function nodesOf(nodes: readonly MeshEntry[], namesOf: (node: MeshEntry) => readonly string[]): NamedNodes[] {
  const found = new Map<string, string[]>();
  for (const node of nodes) {
    for (const name of namesOf(node)) found.set(name, [...(found.get(name) ?? []), node.node_id]);
  }
  return [...found]
    .map(([name, on]) => ({ name, on: on.toSorted() }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
