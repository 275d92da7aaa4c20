import { Button, Textarea } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Canary, CanaryEnd } from "../../../contracts/daemon/canary.ts";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { notify } from "../../parts/notices.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { PlainTable } from "../../parts/tables/plain-table.tsx";
import { formatNumber, formatPercent } from "../../parts/text/format.ts";
import { Instant } from "../../parts/text/instant.tsx";
import { rowUsd } from "../../parts/text/money.ts";
import { agentReleaseTexts as texts } from "../../texts/studio/agents.ts";
import { useDaemon } from "../use-daemon.ts";

type Figures = NonNullable<Canary["figures"]>["canary"];

/** The canary of an agent: how both versions do, its steps, and its end by hand. */
export function AgentCanary({ name }: { name: string }) {
  const daemon = useDaemon();
  const query = useQuery({
    queryKey: ["daemon", "agents", name, "canary"],
    queryFn: () => daemon.getCanary(name),
  });
  const [verdict, setVerdict] = useState<CanaryEnd["verdict"]>();
  const buttons = (
    <>
      <Button size="xs" variant="default" onClick={() => setVerdict("return")}>
        {texts.return}
      </Button>
      <Button size="xs" onClick={() => setVerdict("promote")}>
        {texts.promote}
      </Button>
    </>
  );
  return (
    <Panel title={texts.canaryTitle} actions={query.data?.state === "open" && buttons}>
      <Loaded query={query}>{(canary) => <CanaryView canary={canary} />}</Loaded>
      {verdict !== undefined && (
        <EndDialog name={name} verdict={verdict} close={() => setVerdict(undefined)} />
      )}
    </Panel>
  );
}

function CanaryView({ canary: { percent, figures, events } }: { canary: Canary }) {
  return (
    <>
      <p className="ar-agents-lead">{texts.canaryLead(formatPercent(percent / 100))}</p>
      {figures !== undefined && (
        <PlainTable
          label={texts.canaryTable}
          rows={measures}
          keyOf={({ label }) => label}
          columns={[
            { id: "measure", header: texts.measure, cell: ({ label }) => label },
            { id: "canary", header: texts.newVersion, align: "end", cell: ({ of }) => of(figures.canary) },
            { id: "baseline", header: texts.inService, align: "end", cell: ({ of }) => of(figures.baseline) },
          ]}
        />
      )}
      <ul className="ar-agents-reasons">
        {events.map(({ event, at, reasons = [] }) => (
          <li key={`${at}${event}`} className="ar-break">
            {texts.events[event]} <Instant iso={at} />
            {reasons.length > 0 && `: ${reasons.join("; ")}`}
          </li>
        ))}
      </ul>
    </>
  );
}

const share = (count: number, of: number) => (of === 0 ? texts.none : formatPercent(count / of));

const measures: readonly { label: string; of: (figures: Figures) => string }[] = [
  { label: texts.runs, of: ({ runs }) => formatNumber(runs) },
  { label: texts.errors, of: ({ errors, runs }) => share(errors, runs) },
  { label: texts.rated, of: ({ rated }) => formatNumber(rated) },
  { label: texts.liked, of: ({ liked, rated }) => share(liked, rated) },
  {
    label: texts.meanCost,
    of: ({ mean_cost_usd: cost }) => (cost === undefined ? texts.none : rowUsd(cost)),
  },
];

interface EndDialogProps {
  name: string;
  verdict: CanaryEnd["verdict"];
  close: () => void;
}

/** Ends a canary with a reason, which the audit keeps. */
function EndDialog({ name, verdict, close }: EndDialogProps) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [reason, setReason] = useState("");
  const isPromotion = verdict === "promote";
  return (
    <FormDialog
      title={isPromotion ? texts.promoteTitle(name) : texts.returnTitle(name)}
      action={isPromotion ? texts.promote : texts.return}
      isComplete={reason.trim() !== ""}
      close={close}
      send={async () => {
        await daemon.endCanary(name, { verdict, reason: reason.trim() });
        await queries.invalidateQueries({ queryKey: ["daemon", "agents"] });
        notify(isPromotion ? texts.promoted(name) : texts.returned(name));
      }}
    >
      <p className="ar-agents-lead">{isPromotion ? texts.promoteText : texts.returnText}</p>
      <Textarea
        label={texts.reason}
        description={texts.reasonKept}
        value={reason}
        maxLength={500}
        autosize
        data-autofocus
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
    </FormDialog>
  );
}
