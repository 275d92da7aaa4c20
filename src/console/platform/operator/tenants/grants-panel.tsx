import { Autocomplete, Button, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Grant } from "../../../../contracts/platform/billing/grants.ts";
import { FormDialog } from "../../../parts/dialogs/form-dialog.tsx";
import { MicrosInput } from "../../../parts/inputs/micros-input.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { notify } from "../../../parts/notices.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { type PlainColumn, PlainTable } from "../../../parts/tables/plain-table.tsx";
import { creditsText, usdText } from "../../../parts/text/money.ts";
import { randomHex } from "../../../parts/text/random-hex.ts";
import { grantTexts as texts } from "../../../texts/platform/corrections.ts";
import { usePlatform } from "../../use-platform.ts";

const dayMs = 86_400_000;

const columns: readonly PlainColumn<Grant>[] = [
  { id: "reason", header: texts.reason, cell: ({ reason }) => reason },
  {
    id: "credits",
    header: texts.credits,
    align: "decimal",
    cell: ({ credits_micros }) => creditsText(credits_micros),
  },
  { id: "used", header: texts.used, align: "decimal", cell: ({ used_micros }) => creditsText(used_micros) },
  { id: "left", header: texts.left, align: "decimal", cell: ({ left_micros }) => creditsText(left_micros) },
  {
    id: "expired",
    header: texts.expired,
    align: "decimal",
    from: "sm",
    cell: ({ expired_micros }) => creditsText(expired_micros),
  },
  {
    id: "expires",
    header: texts.expiresAt,
    from: "sm",
    cell: ({ expires_at }) => expires_at?.slice(0, 16).replace("T", " ") ?? texts.never,
  },
  {
    id: "price",
    header: texts.price,
    align: "decimal",
    from: "sm",
    cell: ({ price_micros }) => (price_micros === null ? texts.free : usdText(price_micros)),
  },
];

/** Credits granted to a tenant, and what is left of them. */
export function GrantsPanel({ tenantId, isActive }: { tenantId: string; isActive: boolean }) {
  const platform = usePlatform();
  const [isGiving, give] = useDisclosure(false);
  const query = useQuery({
    queryKey: ["platform", "admin", "grants", tenantId],
    queryFn: () => platform.listGrants(tenantId, { limit: 200 }),
  });
  return (
    <Panel
      title={texts.title}
      flush
      actions={
        isActive && (
          <Button size="xs" variant="default" onClick={give.open}>
            {texts.give}
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {({ grants }) => (
          <PlainTable
            label={texts.title}
            columns={columns}
            rows={grants}
            keyOf={({ id }) => id}
            empty={<p className="ar-panel-body ar-soft">{texts.none}</p>}
          />
        )}
      </Loaded>
      {isGiving && <GrantDialog tenantId={tenantId} close={give.close} />}
    </Panel>
  );
}

function GrantDialog({ tenantId, close }: { tenantId: string; close: () => void }) {
  const platform = usePlatform();
  const queries = useQueryClient();
  const [form, setForm] = useState<GrantForm>({ credits: null, reason: "", lastDay: "", price: null });
  // A grant that was given although its answer was lost is not given twice.
  const [key] = useState(() => randomHex(16));
  const set = (change: Partial<GrantForm>) => setForm((now) => ({ ...now, ...change }));
  return (
    <FormDialog
      title={texts.give}
      action={texts.give}
      close={close}
      isComplete={typeof form.credits === "number" && form.credits > 0 && form.reason.trim() !== ""}
      send={async () => {
        await platform.createGrant(tenantId, grantOf(form), key);
        await queries.invalidateQueries({ queryKey: ["platform"] });
        notify(texts.given);
      }}
    >
      <Text className="ar-soft">{texts.hint}</Text>
      <MicrosInput
        label={texts.credits}
        required
        value={form.credits}
        onChange={(credits) => set({ credits })}
      />
      <Autocomplete
        label={texts.reason}
        required
        maxLength={200}
        data={texts.reasons}
        value={form.reason}
        onChange={(reason) => set({ reason })}
      />
      <TextInput
        type="date"
        label={texts.expires}
        description={texts.expiresHint}
        value={form.lastDay}
        onChange={(event) => set({ lastDay: event.currentTarget.value })}
      />
      <MicrosInput
        label={texts.price}
        description={texts.priceHint}
        prefix="$"
        value={form.price}
        onChange={(price) => set({ price })}
      />
    </FormDialog>
  );
}

interface GrantForm {
  credits: Entered;
  reason: string;
  lastDay: string;
  price: Entered;
}

type Entered = Parameters<Parameters<typeof MicrosInput>[0]["onChange"]>[0];

/** The credits expire at the end of the last day. */
function grantOf({ credits, reason, lastDay, price }: GrantForm) {
  return {
    credits_micros: typeof credits === "number" ? credits : 0,
    reason: reason.trim(),
    expires_at: lastDay === "" ? null : new Date(Date.parse(lastDay) + dayMs).toISOString(),
    price_micros: typeof price === "number" ? price : null,
  };
}
