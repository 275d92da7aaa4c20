import { Anchor, Table } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { AdminUsage } from "../../../../contracts/platform/admin.ts";
import { usePlatform } from "../../../api/use-server.tsx";
import { EmptyState } from "../../../parts/empty-state.tsx";
import { formatCredits, formatMicrosUsd, formatPercent } from "../../../parts/format.ts";
import { Loaded } from "../../../parts/loaded.tsx";
import { MonthPicker, useMonth } from "../../../parts/month-picker.tsx";
import { PageHead } from "../../../parts/page-head.tsx";
import { Panel } from "../../../parts/panel.tsx";
import { operatorTexts as texts } from "../../../texts/platform-runs.ts";
import { ConsumptionFigures } from "../consumption-figures.tsx";

/** What is earned with whom. */
export default function MarginsPage() {
  const platform = usePlatform();
  const [month] = useMonth();
  const query = useQuery({
    queryKey: ["platform", "admin", "usage", month],
    queryFn: () => platform.platformUsage(month),
  });
  return (
    <>
      <PageHead title={texts.margins} lead={texts.marginsLead}>
        <MonthPicker />
      </PageHead>
      <Loaded query={query}>
        {(usage) => (
          <>
            <ConsumptionFigures consumption={usage.month} />
            {usage.tenants.length === 0 ? (
              <EmptyState text={texts.noRuns} />
            ) : (
              <MarginTable tenants={usage.tenants} />
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

function MarginTable({ tenants }: Pick<AdminUsage, "tenants">) {
  const rows = [...tenants].sort((a, b) => a.month.margin_micros - b.month.margin_micros);
  return (
    <Panel title={texts.tenants} flush>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.tenant}</Table.Th>
            <Table.Th className="ar-end">{texts.credits}</Table.Th>
            <Table.Th className="ar-end">{texts.providerCost}</Table.Th>
            <Table.Th className="ar-end">{texts.infraCost}</Table.Th>
            <Table.Th className="ar-end">{texts.overrun}</Table.Th>
            <Table.Th className="ar-end">{texts.margin}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ tenant_id, display_name, month }) => (
            <Table.Tr key={tenant_id}>
              <Table.Td>
                <Anchor
                  component={Link}
                  href={`/platform/operator/tenants/${tenant_id}`}
                  className="ar-break"
                >
                  {display_name}
                </Anchor>
              </Table.Td>
              <Table.Td className="ar-end">{formatCredits(month.credits_charged_micros)}</Table.Td>
              <Table.Td className="ar-end">{formatMicrosUsd(month.provider_cost_micros)}</Table.Td>
              <Table.Td className="ar-end">{formatMicrosUsd(month.infra_cost_micros)}</Table.Td>
              <Table.Td className="ar-end">{formatCredits(month.overrun_micros)}</Table.Td>
              <Table.Td className="ar-end">
                {formatMicrosUsd(month.margin_micros)}{" "}
                {month.credits_charged_micros > 0 && (
                  <span className="ar-soft">
                    {formatPercent(month.margin_micros / month.credits_charged_micros)}
                  </span>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}
