import { Anchor, Button } from "@mantine/core";
import { Link } from "wouter";
import type { Fire, TriggerSummary } from "../../../contracts/daemon/triggers.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { CursorTable } from "../../parts/tables/cursor-table.tsx";
import type { Column } from "../../parts/tables/data-table.tsx";
import { CopyButton } from "../../parts/text/copy-button.tsx";
import { Instant } from "../../parts/text/instant.tsx";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { triggerTexts as texts } from "../../texts/studio/triggers.ts";
import { useDaemon } from "../use-daemon.ts";
import { fireTones } from "./fire-tones.ts";
import { TriggerActions } from "./trigger-actions.tsx";

/** The fires of one trigger, each with its trace. */
export function FiresPanel({
  trigger,
  fire,
  close,
}: {
  trigger: TriggerSummary;
  fire: () => void;
  close: () => void;
}) {
  const daemon = useDaemon();
  const { agent, name, path } = trigger;
  return (
    <Panel
      title={texts.fires(name)}
      actions={
        <>
          <TriggerActions trigger={trigger} fire={fire} />
          <Button size="compact-sm" variant="default" onClick={close}>
            {texts.close}
          </Button>
        </>
      }
    >
      {path !== undefined && (
        <div className="ar-mcp-line">
          <span className="ar-soft">{texts.hookPath}</span>
          <span className="ar-mono ar-break">{path}</span>
          <CopyButton value={path} label={texts.copyPath} />
        </div>
      )}
      <CursorTable
        label={texts.fires(name)}
        columns={columns}
        keyOf={({ id }) => id}
        queryKey={["daemon", "triggers", "fires", agent, name]}
        read={(page) => daemon.listFires(agent, name, page)}
        rowsOf={({ fires }) => fires}
        empty={<EmptyState text={texts.noFires} />}
      />
    </Panel>
  );
}

const columns: readonly Column<Fire>[] = [
  { id: "due", header: texts.due, width: "110px", cell: ({ due_at }) => <Instant iso={due_at} /> },
  {
    id: "by",
    header: texts.by,
    width: "80px",
    from: "sm",
    cell: ({ by }) => (by === "person" ? texts.byPerson : texts.byEvent),
  },
  {
    id: "status",
    header: texts.status,
    width: "110px",
    cell: ({ status }) => <StatusBadge tone={fireTones[status]}>{texts.statuses[status]}</StatusBadge>,
  },
  {
    id: "result",
    header: texts.result,
    width: "minmax(90px, 2fr)",
    cell: (fire) => <Result fire={fire} />,
  },
];

function Result({ fire: { trace_id, status, error } }: { fire: Fire }) {
  return (
    <>
      {trace_id !== undefined && (
        <Anchor component={Link} href={`/studio/traces/${encodeURIComponent(trace_id)}`}>
          {texts.trace}
        </Anchor>
      )}{" "}
      {status === "waiting" && (
        <Anchor component={Link} href="/studio/approvals">
          {texts.approval}
        </Anchor>
      )}
      {error !== undefined && <span className="ar-break">{error.message}</span>}
    </>
  );
}
