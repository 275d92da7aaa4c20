import { Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Rerated } from "../../../../contracts/platform/billing/tariffs.ts";
import { FormDialog } from "../../../parts/dialogs/form-dialog.tsx";
import { notify } from "../../../parts/notices.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { type PlainColumn, PlainTable } from "../../../parts/tables/plain-table.tsx";
import { formatNumber } from "../../../parts/text/format.ts";
import { creditsText } from "../../../parts/text/money.ts";
import { tariffTexts as texts } from "../../../texts/platform/billing.ts";
import { usePlatform } from "../../use-platform.ts";

const columns: readonly PlainColumn<Rerated["tenants"][number]>[] = [
  { id: "tenant", header: texts.tenant, className: "ar-break", cell: ({ tenant_name }) => tenant_name },
  { id: "month", header: texts.month, cell: ({ period }) => period },
  { id: "runs", header: texts.runs, align: "end", cell: ({ invocations }) => formatNumber(invocations) },
  {
    id: "credits",
    header: texts.credits,
    align: "decimal",
    cell: ({ credits_micros }) => creditsText(credits_micros),
  },
];

/** Shows what pricing unpriced runs again would charge, and does it. */
export function RerateDialog({ close }: { close: () => void }) {
  const platform = usePlatform();
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: ["platform", "admin", "rerate"],
    queryFn: () => platform.rerateRuns({ dry_run: true }),
    gcTime: 0,
    staleTime: 0,
  });
  const found = query.data?.tenants ?? [];
  return (
    <FormDialog
      title={texts.rerate}
      action={texts.rerateAction}
      size="lg"
      close={close}
      isComplete={found.length > 0}
      send={async () => {
        const { tenants } = await platform.rerateRuns({ dry_run: false });
        await queries.invalidateQueries({ queryKey: ["platform"] });
        notify(texts.rerated(tenants.reduce((sum, { invocations }) => sum + invocations, 0)));
      }}
    >
      <Loaded query={query}>
        {({ tenants }) =>
          tenants.length === 0 ? (
            <Text>{texts.rerateNothing}</Text>
          ) : (
            <>
              <Text className="ar-soft">{texts.rerateText}</Text>
              <PlainTable
                label={texts.rerate}
                columns={columns}
                rows={tenants}
                keyOf={({ tenant_id, period }) => `${tenant_id} ${period}`}
              />
            </>
          )
        }
      </Loaded>
    </FormDialog>
  );
}
