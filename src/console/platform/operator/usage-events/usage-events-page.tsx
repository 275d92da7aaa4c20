import { Button, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useParams } from "wouter";
import type { ListedUsageEvent } from "../../../../contracts/platform/billing/corrections.ts";
import { FormDialog } from "../../../parts/dialogs/form-dialog.tsx";
import { MonthPicker, useMonth } from "../../../parts/inputs/month-picker.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { notify } from "../../../parts/notices.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { CursorTable } from "../../../parts/tables/cursor-table.tsx";
import type { Column } from "../../../parts/tables/data-table.tsx";
import { formatInstant, formatNumber } from "../../../parts/text/format.ts";
import { usageEventTexts as texts } from "../../../texts/platform/corrections.ts";
import { operatorTexts } from "../../../texts/platform/operator.ts";
import { usePlatform } from "../../use-platform.ts";

/** Usage events of a subscription in a month. Those of an open month can be voided. */
export default function UsageEventsPage() {
  const { id = "", subscription = "" } = useParams<{ id: string; subscription: string }>();
  const platform = usePlatform();
  const [month] = useMonth();
  const [chosen, choose] = useState<ListedUsageEvent>();
  return (
    <>
      <PageHeader
        title={texts.title}
        lead={texts.lead}
        up={{ href: `/platform/operator/tenants/${encodeURIComponent(id)}`, label: operatorTexts.tenant }}
      >
        <MonthPicker />
      </PageHeader>
      <CursorTable
        label={texts.title}
        columns={columnsWith(choose)}
        queryKey={["platform", "usage-events", subscription, month]}
        read={(page) => platform.listUsageEvents(subscription, { period: month, ...page })}
        rowsOf={({ events }) => events}
        keyOf={({ event_id }) => event_id}
        empty={<EmptyState text={texts.none} />}
      />
      {chosen !== undefined && <VoidDialog event={chosen} close={() => choose(undefined)} />}
    </>
  );
}

function VoidDialog({ event, close }: { event: ListedUsageEvent; close: () => void }) {
  const platform = usePlatform();
  const queries = useQueryClient();
  const [reason, setReason] = useState("");
  return (
    <FormDialog
      title={texts.voidTitle}
      action={texts.void}
      close={close}
      isComplete={reason.trim() !== ""}
      send={async () => {
        const { subscription_id, event_id } = event;
        await platform.voidUsageEvent(subscription_id, { event_id, reason: reason.trim() });
        await queries.invalidateQueries({ queryKey: ["platform"] });
        notify(texts.done);
      }}
    >
      <Text>{`${event.event_id}: ${formatNumber(event.cantidad)} ${event.unidad}`}</Text>
      <Text className="ar-soft">{texts.voidText}</Text>
      <TextInput
        label={texts.reason}
        required
        maxLength={200}
        value={reason}
        onChange={(change) => setReason(change.currentTarget.value)}
      />
    </FormDialog>
  );
}

const columnsWith = (choose: (event: ListedUsageEvent) => void): readonly Column<ListedUsageEvent>[] => [
  { id: "event", header: texts.event, width: "minmax(120px, 1.4fr)", cell: ({ event_id }) => event_id },
  { id: "unit", header: texts.unit, width: "minmax(90px, 1fr)", cell: ({ unidad }) => unidad },
  {
    id: "quantity",
    header: texts.quantity,
    width: "90px",
    align: "end",
    cell: ({ cantidad }) => formatNumber(cantidad),
  },
  {
    id: "at",
    header: texts.at,
    width: "170px",
    from: "sm",
    cell: ({ ocurrido_en }) => formatInstant(ocurrido_en),
  },
  {
    id: "status",
    header: texts.status,
    width: "minmax(100px, 1fr)",
    cell: (event) =>
      event.voided === null ? (
        <Button size="compact-xs" variant="default" onClick={() => choose(event)}>
          {texts.void}
        </Button>
      ) : (
        texts.voided(event.voided.reason)
      ),
  },
];
