import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { MeshEntry, MeshState } from "../../../contracts/daemon/mesh.ts";
import { Confirm } from "../../parts/dialogs/confirm.tsx";
import { notify } from "../../parts/notices.tsx";
import { type PlainColumn, PlainTable } from "../../parts/tables/plain-table.tsx";
import { RowButton } from "../../parts/tables/row-button.tsx";
import { formatNumber } from "../../parts/text/format.ts";
import { StatusBadge, type Tone } from "../../parts/text/status-badge.tsx";
import { meshTexts as texts } from "../../texts/studio/mesh.ts";
import { useDaemon } from "../use-daemon.ts";

interface NodeTableProps {
  state: MeshState;
  /** True for the machine's owner, who may drain, return and remove nodes. */
  mayChange: boolean;
}

/** The nodes, this one first. */
export function NodeTable({ state, mayChange }: NodeTableProps) {
  const { this_node: own, leader } = state;
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [leaving, leave] = useState<MeshEntry>();
  const changed = (text: string) => {
    notify(text);
    return queries.invalidateQueries({ queryKey: ["daemon", "mesh"] });
  };
  const rejoin = async ({ node_id, address }: MeshEntry) => {
    const { cluster_size } = await daemon.joinMesh(node_id, address);
    await changed(texts.rejoined(cluster_size));
  };
  const nodes = state.nodes.toSorted(
    (a, b) => Number(b.node_id === own) - Number(a.node_id === own) || (a.node_id < b.node_id ? -1 : 1),
  );
  const isOwn = leaving?.node_id === own;
  return (
    <>
      <PlainTable
        label={texts.nodes}
        rows={nodes}
        keyOf={({ node_id }) => node_id}
        columns={columnsFor({ own, leader, ...(mayChange && { leave, rejoin }) })}
      />
      {leaving !== undefined && (
        <Confirm
          opened
          title={isOwn ? texts.drainTitle : texts.removeTitle(leaving.node_id)}
          text={isOwn ? texts.drainText : texts.removeText}
          action={isOwn ? texts.drain : texts.remove}
          onClose={() => leave(undefined)}
          onConfirm={async () => {
            const { drained_requests } = await daemon.leaveMesh(leaving.node_id);
            await changed(isOwn ? texts.drained(drained_requests) : texts.removed(leaving.node_id));
          }}
        />
      )}
    </>
  );
}

interface Actions {
  own: string;
  leader: string | null;
  leave?: (node: MeshEntry) => void;
  rejoin?: (node: MeshEntry) => Promise<void>;
}

const tones: Readonly<Record<MeshEntry["state"], Tone>> = { alive: "good", suspect: "warn", dead: "bad" };

const columnsFor = ({ own, leader, leave, rejoin }: Actions): PlainColumn<MeshEntry>[] => [
  {
    id: "node",
    header: texts.node,
    cell: ({ node_id, address }) => (
      <>
        <span className="ar-tn-strong ar-break">{node_id}</span>
        <span className="ar-soft">
          {node_id === own && ` (${texts.isThis})`}
          {node_id === leader && ` · ${texts.isLeader}`}
        </span>
        <div className="ar-soft ar-mono ar-break">{address}</div>
      </>
    ),
  },
  {
    id: "state",
    header: texts.state,
    cell: ({ state, has_left }) => (
      <StatusBadge tone={has_left ? "plain" : tones[state]}>
        {has_left ? texts.left : texts.states[state]}
      </StatusBadge>
    ),
  },
  {
    id: "role",
    header: texts.role,
    from: "md",
    cell: ({ role }) => (role === undefined ? <span className="ar-soft">–</span> : texts.roles[role]),
  },
  {
    id: "load",
    header: texts.load,
    align: "end",
    from: "sm",
    cell: ({ active_requests }) => texts.loadOf(active_requests),
  },
  {
    id: "agents",
    header: texts.agents,
    align: "end",
    from: "md",
    cell: ({ agents }) => formatNumber(agents.length),
  },
  {
    id: "version",
    header: texts.version,
    from: "lg",
    cell: ({ version }) => version ?? <span className="ar-soft">–</span>,
  },
  ...(leave === undefined || rejoin === undefined
    ? []
    : [
        {
          id: "actions",
          header: texts.actions,
          hidesHeader: true as const,
          align: "end" as const,
          cell: (node: MeshEntry) => {
            if (node.node_id !== own) {
              if (node.state === "alive") return null;
              return (
                <RowButton
                  label={texts.remove}
                  title={texts.removeOf(node.node_id)}
                  isDanger
                  onClick={() => leave(node)}
                />
              );
            }
            if (node.has_left) return <RowButton label={texts.rejoin} onClick={() => void rejoin(node)} />;
            return (
              <RowButton
                label={texts.drain}
                title={texts.drainOf(node.node_id)}
                onClick={() => leave(node)}
              />
            );
          },
        },
      ]),
];
