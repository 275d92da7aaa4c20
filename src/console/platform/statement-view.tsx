import type { PlanCredits, Statement, StatementCharge } from "../../contracts/platform/billing/billing.ts";
import type { StatementGrant } from "../../contracts/platform/billing/grants.ts";
import { printedCharge } from "../../contracts/platform/billing/printed-amounts.ts";
import { Figures } from "../parts/layout/figures.tsx";
import { Panel } from "../parts/layout/panel.tsx";
import { EmptyState } from "../parts/states/empty-state.tsx";
import { type PlainColumn, PlainTable } from "../parts/tables/plain-table.tsx";
import { creditsText, usdTotalText } from "../parts/text/money.ts";
import { grantTexts } from "../texts/platform/corrections.ts";
import { operatorTexts as texts } from "../texts/platform/operator.ts";
import { amountWriter } from "./amount-writer.ts";

const chargeColumns = (period: string): readonly PlainColumn<StatementCharge>[] => [
  {
    id: "charge",
    header: texts.charge,
    cell: (charge) => {
      const { quantity, unitPrice } = printedCharge(charge, period, amountWriter);
      return (
        <>
          {texts.chargeTypes[charge.type]}: {charge.description}
          <div className="ar-soft ar-from-sm-hidden">
            {quantity} × {unitPrice}
          </div>
        </>
      );
    },
  },
  {
    id: "quantity",
    header: texts.quantity,
    align: "end",
    from: "sm",
    cell: (charge) => printedCharge(charge, period, amountWriter).quantity,
  },
  {
    id: "price",
    header: texts.unitPrice,
    align: "decimal",
    from: "sm",
    cell: (charge) => printedCharge(charge, period, amountWriter).unitPrice,
  },
  {
    id: "amount",
    header: texts.amount,
    align: "decimal",
    cell: (charge) => printedCharge(charge, period, amountWriter).amount,
  },
];

const creditColumns: readonly PlainColumn<PlanCredits>[] = [
  { id: "plan", header: texts.plan, cell: ({ plan_name }) => plan_name },
  {
    id: "used",
    header: texts.creditsUsed,
    align: "decimal",
    cell: ({ used_micros }) => creditsText(used_micros),
  },
  {
    id: "included",
    header: texts.creditsIncluded,
    align: "decimal",
    cell: ({ included_micros }) => creditsText(included_micros),
  },
  {
    id: "granted",
    header: texts.creditsGranted,
    align: "decimal",
    cell: ({ granted_micros }) => creditsText(granted_micros),
  },
  {
    id: "extra",
    header: texts.creditsExtra,
    align: "decimal",
    cell: ({ extra_micros }) => creditsText(extra_micros),
  },
];

const grantColumns: readonly PlainColumn<StatementGrant>[] = [
  { id: "reason", header: grantTexts.reason, cell: ({ reason }) => reason },
  {
    id: "expires",
    header: grantTexts.expiresAt,
    from: "sm",
    cell: ({ expires_at }) => expires_at?.slice(0, 16).replace("T", " ") ?? grantTexts.never,
  },
  ...(["opening", "used", "expired", "left"] as const).map((name) => ({
    id: name,
    header: grantTexts[name],
    align: "decimal" as const,
    cell: (grant: StatementGrant) => creditsText(grant[`${name}_micros`]),
  })),
];

/** Charges of a month with their prices, and the credits that each plan includes. */
export function StatementView({ statement }: { statement: Statement }) {
  const { provisional, charges, credits, period, total_micros } = statement;
  const total = usdTotalText(total_micros);
  return (
    <>
      {provisional && <p className="ar-provisional">{texts.provisional}</p>}
      <Figures
        figures={[
          { label: texts.total, value: total, note: texts.currency },
          { label: texts.creditsUsed, value: creditsText(credits.used_micros) },
          { label: texts.chargeTypes.creditos_extra, value: creditsText(credits.extra_micros) },
        ]}
      />
      <div className="ar-stack">
        {charges.length === 0 ? (
          <EmptyState text={texts.noCharges} />
        ) : (
          <Panel title={texts.charges} flush>
            <PlainTable
              label={texts.charges}
              columns={chargeColumns(period)}
              rows={charges}
              keyOf={(charge) => String(charges.indexOf(charge))}
              foot={{ label: texts.total, value: total }}
            />
          </Panel>
        )}
        {credits.by_plan.length > 0 && (
          <Panel title={texts.creditsByPlan} flush>
            <PlainTable
              label={texts.creditsByPlan}
              columns={creditColumns}
              rows={credits.by_plan}
              keyOf={({ plan_id, subscription_id }) => `${plan_id} ${subscription_id}`}
            />
          </Panel>
        )}
        {credits.grants.length > 0 && (
          <Panel title={grantTexts.title} flush>
            <PlainTable
              label={grantTexts.title}
              columns={grantColumns}
              rows={credits.grants}
              keyOf={({ id }) => id}
            />
          </Panel>
        )}
      </div>
    </>
  );
}
