import { Anchor, Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import type { TriggerSummary } from "../../../contracts/daemon/triggers.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { type Column, DataTable } from "../../parts/tables/data-table.tsx";
import { Instant } from "../../parts/text/instant.tsx";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { triggerTexts as texts } from "../../texts/studio/triggers.ts";
import { useDaemon } from "../use-daemon.ts";
import { FireDialog } from "./fire-dialog.tsx";
import { fireTones } from "./fire-tones.ts";
import { FiresPanel } from "./fires-panel.tsx";
import { TriggerActions } from "./trigger-actions.tsx";

const keyOf = ({ agent, name }: TriggerSummary) => `${agent}/${name}`;

/** The triggers of all agents, with the fires of one. */
export default function TriggersPage() {
  const daemon = useDaemon();
  const [opened, setOpened] = useUrlState("trigger");
  const [firing, setFiring] = useState<TriggerSummary>();
  const query = useQuery({ queryKey: ["daemon", "triggers", "list"], queryFn: daemon.listTriggers });
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        <Button variant="default" loading={query.isRefetching} onClick={() => void query.refetch()}>
          {texts.refresh}
        </Button>
      </PageHeader>
      <Loaded query={query}>
        {({ triggers }) => {
          const shown = triggers.find((one) => keyOf(one) === opened);
          return (
            <div className="ar-stack">
              <DataTable
                label={texts.title}
                columns={columns(setOpened, setFiring)}
                rows={triggers}
                keyOf={keyOf}
                empty={
                  <EmptyState text={texts.none}>
                    <Button variant="default" component={Link} href="/studio/agents">
                      {texts.toAgents}
                    </Button>
                  </EmptyState>
                }
              />
              {shown && (
                <FiresPanel trigger={shown} fire={() => setFiring(shown)} close={() => setOpened("")} />
              )}
            </div>
          );
        }}
      </Loaded>
      {firing && <FireDialog trigger={firing} close={() => setFiring(undefined)} />}
    </>
  );
}

const columns = (
  open: (key: string) => void,
  fire: (trigger: TriggerSummary) => void,
): readonly Column<TriggerSummary>[] => [
  {
    id: "trigger",
    header: texts.trigger,
    width: "minmax(120px, 1fr)",
    cell: (trigger) => (
      <Anchor component="button" type="button" onClick={() => open(keyOf(trigger))}>
        {trigger.name}
      </Anchor>
    ),
  },
  {
    id: "agent",
    header: texts.agent,
    width: "minmax(90px, 1fr)",
    from: "sm",
    cell: ({ agent }) => (
      <Anchor component={Link} href={`/studio/agents/${encodeURIComponent(agent)}`}>
        {agent}
      </Anchor>
    ),
  },
  {
    id: "on",
    header: texts.firesOn,
    width: "minmax(150px, 3fr)",
    from: "md",
    // Rows have one line.
    cell: ({ type, about, timezone }) =>
      timezone === undefined ? `${texts.types[type]}: ${about}` : `${about} (${timezone})`,
  },
  {
    id: "state",
    header: texts.state,
    width: "110px",
    from: "sm",
    cell: (trigger) => <State trigger={trigger} />,
  },
  {
    id: "next",
    header: texts.next,
    width: "104px",
    from: "md",
    cell: ({ next_at }) => (next_at === undefined ? "" : <Instant iso={next_at} />),
  },
  {
    id: "last",
    header: texts.last,
    width: "110px",
    from: "sm",
    cell: ({ last_fire }) =>
      last_fire === undefined ? (
        <span className="ar-soft">{texts.never}</span>
      ) : (
        <StatusBadge tone={fireTones[last_fire.status]}>{texts.statuses[last_fire.status]}</StatusBadge>
      ),
  },
  {
    id: "actions",
    header: "",
    width: "200px",
    align: "end",
    from: "sm",
    cell: (trigger) => <TriggerActions trigger={trigger} fire={() => fire(trigger)} />,
  },
];

function State({ trigger: { paused, agent_paused } }: { trigger: TriggerSummary }) {
  if (paused) return <StatusBadge tone="warn">{texts.paused}</StatusBadge>;
  if (agent_paused) return <StatusBadge tone="warn">{texts.agentPaused}</StatusBadge>;
  return <StatusBadge tone="good">{texts.active}</StatusBadge>;
}
