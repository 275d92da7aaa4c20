import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { MeshState } from "../../../contracts/daemon/mesh.ts";
import { Figures } from "../../parts/layout/figures.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { formatNumber } from "../../parts/text/format.ts";
import { useSession } from "../../session/session.tsx";
import { meshTexts as texts } from "../../texts/studio/mesh.ts";
import { useDaemon } from "../use-daemon.ts";
import { AgentsByNode } from "./agents-by-node.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { NodeTable } from "./node-table.tsx";

/** The nodes of the mesh with their state, load and agents. */
export default function MeshPage() {
  const daemon = useDaemon();
  const { signedIn } = useSession();
  const [isInviting, setInviting] = useState(false);
  const query = useQuery({
    queryKey: ["daemon", "mesh"],
    /** Null if the mesh is off: its state would then be refused. */
    async queryFn(): Promise<MeshState | null> {
      const { mode } = await daemon.status();
      return mode === "mesh" ? daemon.meshState() : null;
    },
  });
  if (query.data === null) {
    return (
      <>
        <PageHeader title={texts.title} lead={texts.lead} />
        <EmptyState title={texts.offTitle} text={texts.off} />
      </>
    );
  }
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        <Group gap="xs">
          <Button variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
            {texts.refresh}
          </Button>
          {signedIn.local && query.data !== undefined && (
            <Button onClick={() => setInviting(true)}>{texts.invite}</Button>
          )}
        </Group>
      </PageHeader>
      <Loaded query={query}>
        {(state) => state !== null && <Mesh state={state} mayChange={signedIn.local} />}
      </Loaded>
      {isInviting && <InviteDialog close={() => setInviting(false)} />}
    </>
  );
}

function Mesh({ state, mayChange }: { state: MeshState; mayChange: boolean }) {
  const { nodes, leader, term, this_node: own } = state;
  const alive = nodes.filter((node) => node.state === "alive");
  const running = alive.reduce((sum, node) => sum + node.active_requests, 0);
  const agents = new Set(alive.flatMap((node) => node.agents));
  return (
    <div className="ar-stack">
      <Figures
        figures={[
          {
            label: texts.nodes,
            value: formatNumber(nodes.length),
            note: texts.nodesAlive(alive.length, nodes.length),
          },
          {
            label: texts.leader,
            value: leader ?? texts.noLeader,
            note: leader === null ? texts.noLeaderHint : texts.term(term),
          },
          { label: texts.running, value: formatNumber(running) },
          { label: texts.agents, value: formatNumber(agents.size) },
          { label: texts.thisNode, value: own },
        ]}
      />
      <Panel title={texts.nodes} flush>
        <NodeTable state={state} mayChange={mayChange} />
      </Panel>
      <AgentsByNode nodes={alive} />
    </div>
  );
}
