import { Button, SegmentedControl, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Adjustment } from "../../../../contracts/platform/billing/corrections.ts";
import { FormDialog } from "../../../parts/dialogs/form-dialog.tsx";
import { MicrosInput } from "../../../parts/inputs/micros-input.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { notify } from "../../../parts/notices.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { type PlainColumn, PlainTable } from "../../../parts/tables/plain-table.tsx";
import { usdText } from "../../../parts/text/money.ts";
import { randomHex } from "../../../parts/text/random-hex.ts";
import { adjustmentTexts as texts } from "../../../texts/platform/corrections.ts";
import { usePlatform } from "../../use-platform.ts";

const columns: readonly PlainColumn<Adjustment>[] = [
  { id: "month", header: texts.month, cell: ({ period }) => period },
  { id: "reason", header: texts.reason, cell: ({ reason }) => reason },
  { id: "reference", header: texts.reference, from: "sm", cell: ({ reference }) => reference ?? "–" },
  {
    id: "amount",
    header: texts.amount,
    align: "decimal",
    cell: ({ amount_micros }) => usdText(amount_micros),
  },
];

/** Signed charges that operators added to a tenant's bills. */
export function AdjustmentsPanel({ tenantId, month }: { tenantId: string; month: string }) {
  const platform = usePlatform();
  const [isAdding, add] = useDisclosure(false);
  const query = useQuery({
    queryKey: ["platform", "admin", "adjustments", tenantId],
    queryFn: () => platform.listAdjustments(tenantId, { limit: 200 }),
  });
  return (
    <Panel
      title={texts.title}
      flush
      actions={
        <Button size="xs" variant="default" onClick={add.open}>
          {texts.add}
        </Button>
      }
    >
      <Loaded query={query}>
        {({ adjustments }) => (
          <PlainTable
            label={texts.title}
            columns={columns}
            rows={adjustments}
            keyOf={({ id }) => id}
            empty={<p className="ar-panel-body ar-soft">{texts.none}</p>}
          />
        )}
      </Loaded>
      {isAdding && <AdjustmentDialog tenantId={tenantId} month={month} close={add.close} />}
    </Panel>
  );
}

function AdjustmentDialog({
  tenantId,
  month,
  close,
}: {
  tenantId: string;
  month: string;
  close: () => void;
}) {
  const platform = usePlatform();
  const queries = useQueryClient();
  // An adjustment that was made although its answer was lost is not made twice.
  const [key] = useState(() => randomHex(16));
  const [form, setForm] = useState<AdjustmentForm>({
    kind: "refund",
    amount: null,
    reason: "",
    reference: "",
    month,
  });
  const set = (change: Partial<AdjustmentForm>) => setForm((now) => ({ ...now, ...change }));
  return (
    <FormDialog
      title={texts.add}
      action={texts.add}
      close={close}
      isComplete={typeof form.amount === "number" && form.amount > 0 && form.reason.trim() !== ""}
      send={async () => {
        await platform.createAdjustment(tenantId, adjustmentOf(form), key);
        await queries.invalidateQueries({ queryKey: ["platform"] });
        notify(texts.added);
      }}
    >
      <Text className="ar-soft">{texts.hint}</Text>
      <SegmentedControl
        aria-label={texts.kind}
        data={Object.entries(texts.kinds).map(([value, label]) => ({ value, label }))}
        value={form.kind}
        onChange={(kind) => set({ kind: kind === "charge" ? "charge" : "refund" })}
      />
      <MicrosInput
        label={texts.amount}
        required
        prefix="$"
        value={form.amount}
        onChange={(amount) => set({ amount })}
      />
      <TextInput
        label={texts.reason}
        description={texts.reasonHint}
        required
        maxLength={200}
        value={form.reason}
        onChange={(event) => set({ reason: event.currentTarget.value })}
      />
      <TextInput
        label={texts.reference}
        maxLength={100}
        value={form.reference}
        onChange={(event) => set({ reference: event.currentTarget.value })}
      />
      <TextInput
        type="month"
        label={texts.month}
        required
        value={form.month}
        onChange={(event) => set({ month: event.currentTarget.value })}
      />
    </FormDialog>
  );
}

interface AdjustmentForm {
  kind: "refund" | "charge";
  amount: Parameters<Parameters<typeof MicrosInput>[0]["onChange"]>[0];
  reason: string;
  reference: string;
  month: string;
}

function adjustmentOf({ kind, amount, reason, reference, month }: AdjustmentForm) {
  const micros = typeof amount === "number" ? amount : 0;
  return {
    amount_micros: kind === "refund" ? -micros : micros,
    reason: reason.trim(),
    reference: reference.trim() === "" ? null : reference.trim(),
    period: month,
  };
}
