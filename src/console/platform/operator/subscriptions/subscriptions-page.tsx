import { Button, Menu, Select, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ChangeInstant, Subscription } from "../../../../contracts/platform/billing/subscriptions.ts";
import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { FormDialog } from "../../../parts/dialogs/form-dialog.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { MonthPicker, useMonth } from "../../../parts/inputs/month-picker.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { notify } from "../../../parts/notices.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { CursorTable } from "../../../parts/tables/cursor-table.tsx";
import type { Column } from "../../../parts/tables/data-table.tsx";
import { formatDay, formatNumber } from "../../../parts/text/format.ts";
import { creditsText } from "../../../parts/text/money.ts";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { subscriptionTexts as texts } from "../../../texts/platform/billing.ts";
import { usePlatform } from "../../use-platform.ts";
import { PlanSelect } from "../plan-select.tsx";
import { TenantLink } from "../tenant-link.tsx";
import { TenantSelect } from "../tenant-select.tsx";
import { NewSubscriptionDialog } from "./new-subscription-dialog.tsx";

type Asked = { to: "begin" } | { to: "change" | "cancel"; subscription: Subscription };

export default function SubscriptionsPage() {
  const platform = usePlatform();
  const [month] = useMonth();
  const [tenant, setTenant] = useUrlState("tenant");
  const filters = { period: month, ...(tenant === "" ? {} : { tenant_id: tenant }) };
  const [asked, ask] = useState<Asked>();
  const close = () => ask(undefined);
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        <TenantSelect value={tenant} choose={setTenant} />
        <MonthPicker />
        <Button onClick={() => ask({ to: "begin" })}>{texts.begin}</Button>
      </PageHeader>
      <CursorTable
        label={texts.title}
        columns={columnsWith(ask)}
        queryKey={["platform", "subscriptions", filters]}
        read={(page) => platform.listSubscriptions({ ...filters, ...page })}
        rowsOf={({ subscriptions }) => subscriptions}
        keyOf={({ id }) => id}
        empty={<EmptyState text={texts.none} />}
      />
      {asked?.to === "begin" && <NewSubscriptionDialog tenant={tenant} close={close} />}
      {asked?.to === "change" && <PlanChangeDialog subscription={asked.subscription} close={close} />}
      {asked?.to === "cancel" && <CancelDialog subscription={asked.subscription} close={close} />}
    </>
  );
}

const columnsWith = (ask: (asked: Asked) => void): readonly Column<Subscription>[] => [
  { id: "argo", header: texts.argo, width: "minmax(68px, 1fr)", cell: ({ argo_code }) => argo_code },
  {
    id: "plan",
    header: texts.plan,
    width: "minmax(84px, 1.4fr)",
    cell: ({ plan_id, next_plan_id }) =>
      next_plan_id === null ? plan_id : `${plan_id} → ${texts.nextPlan(next_plan_id)}`,
  },
  {
    id: "tenant",
    header: texts.tenant,
    width: "minmax(110px, 1fr)",
    from: "md",
    cell: ({ tenant_id, tenant_name }) => <TenantLink id={tenant_id} name={tenant_name} />,
  },
  {
    id: "status",
    header: texts.state,
    width: "92px",
    cell: ({ status }) => (
      <StatusBadge tone={status === "active" ? "good" : "plain"}>{texts.status[status]}</StatusBadge>
    ),
  },
  {
    id: "from",
    header: texts.from,
    width: "minmax(104px, 1fr)",
    from: "sm",
    cell: ({ desde, last_day }) =>
      last_day === null ? formatDay(desde) : texts.lastDay(formatDay(last_day)),
  },
  {
    id: "used",
    header: texts.used,
    width: "96px",
    align: "decimal",
    from: "sm",
    cell: ({ counters }) => creditsText(counters.credits_charged_micros),
  },
  {
    id: "units",
    header: texts.units,
    width: "120px",
    align: "end",
    from: "lg",
    cell: ({ counters }) =>
      Object.entries(counters.units)
        .map(([unit, count]) => `${unit} ${formatNumber(count)}`)
        .join(", ") || "–",
  },
  {
    id: "actions",
    header: texts.change,
    hidesHeader: true,
    width: "40px",
    align: "end",
    cell: (subscription) =>
      subscription.status === "active" && (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button
              size="compact-xs"
              variant="subtle"
              color="gray"
              aria-label={`${texts.change}: ${subscription.argo_code}`}
            >
              <Icon name="down" size={14} />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => ask({ to: "change", subscription })}>{texts.change}</Menu.Item>
            <Menu.Item onClick={() => ask({ to: "cancel", subscription })}>{texts.cancel}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      ),
  },
];

interface ChangeDialogProps {
  subscription: Subscription;
  close: () => void;
}

/** Changes to another plan of the same vertical, next month or now. */
function PlanChangeDialog({ subscription, close }: ChangeDialogProps) {
  const platform = usePlatform();
  const queries = useQueryClient();
  const [plan, setPlan] = useState(subscription.next_plan_id ?? subscription.plan_id);
  const [at, setAt] = useState<ChangeInstant>("period_end");
  return (
    <FormDialog
      title={texts.changeTitle(subscription.argo_code)}
      action={texts.change}
      close={close}
      send={async () => {
        await platform.scheduleSubscriptionPlan(subscription.id, plan, at);
        await queries.invalidateQueries({ queryKey: ["platform"] });
        notify(texts.changed[at]);
      }}
    >
      <PlanSelect vertical={subscription.argo_code} plan={plan} choose={setPlan} />
      <InstantSelect labels={texts.atPlanChange} at={at} choose={setAt} />
      <Text className="ar-soft">{texts.changeHint[at]}</Text>
    </FormDialog>
  );
}

/** Cancels a subscription as of today, or at the end of the month. */
function CancelDialog({ subscription, close }: ChangeDialogProps) {
  const platform = usePlatform();
  const queries = useQueryClient();
  const [at, setAt] = useState<ChangeInstant>("now");
  return (
    <FormDialog
      title={texts.cancelTitle}
      action={texts.cancelAction}
      isDanger
      close={close}
      send={async () => {
        await platform.cancelSubscription(subscription.id, at);
        await queries.invalidateQueries({ queryKey: ["platform"] });
        notify(texts.cancelled);
      }}
    >
      <Text>{texts.cancelText(subscription.tenant_name, subscription.argo_code)}</Text>
      <InstantSelect labels={texts.atCancel} at={at} choose={setAt} />
    </FormDialog>
  );
}

interface InstantSelectProps {
  labels: Record<ChangeInstant, string>;
  at: ChangeInstant;
  choose: (at: ChangeInstant) => void;
}

const InstantSelect = ({ labels, at, choose }: InstantSelectProps) => (
  <Select
    label={texts.when}
    allowDeselect={false}
    data={Object.entries(labels).map(([value, label]) => ({ value, label }))}
    value={at}
    onChange={(value) => choose(value as ChangeInstant)}
  />
);
