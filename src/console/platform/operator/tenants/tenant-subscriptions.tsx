import type { Subscription } from "../../../../contracts/platform/billing/subscriptions.ts";
import { formatCredits } from "../../../parts/format.ts";
import { Panel } from "../../../parts/panel.tsx";
import { type PlainColumn, PlainTable } from "../../../parts/plain-table.tsx";
import { subscriptionTexts } from "../../../texts/platform-money.ts";
import { operatorTexts as texts } from "../../../texts/platform-runs.ts";

const columns: readonly PlainColumn<Subscription>[] = [
  { id: "vertical", header: subscriptionTexts.argo, cell: ({ argo_code }) => argo_code },
  { id: "plan", header: subscriptionTexts.plan, cell: ({ plan_id }) => plan_id },
  {
    id: "from",
    header: subscriptionTexts.from,
    cell: ({ desde, last_day }) => (last_day === null ? desde : subscriptionTexts.lastDay(last_day)),
  },
  {
    id: "used",
    header: subscriptionTexts.used,
    align: "end",
    cell: ({ counters }) => formatCredits(counters.credits_charged_micros),
  },
];

/** A tenant's subscriptions. */
export function TenantSubscriptions({ subscriptions }: { subscriptions: readonly Subscription[] }) {
  return (
    <Panel title={texts.subscriptions} flush>
      <PlainTable
        label={texts.subscriptions}
        columns={columns}
        rows={subscriptions}
        keyOf={({ id }) => id}
        empty={<p className="ar-panel-body ar-soft">{texts.noSubscriptions}</p>}
      />
    </Panel>
  );
}
