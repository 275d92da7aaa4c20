import { Table } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { usePlatform } from "../../../api/use-server.tsx";
import { Instant } from "../../../parts/instant.tsx";
import { Panel } from "../../../parts/panel.tsx";
import { operatorTexts as texts } from "../../../texts/platform-runs.ts";

/** Months that should have been closed; nothing when there are none. */
export function OverduePeriods() {
  const platform = usePlatform();
  const { data } = useQuery({
    queryKey: ["platform", "periods", "overdue"],
    queryFn: platform.overduePeriods,
  });
  if (data === undefined || data.periods.length === 0) return null;
  return (
    <Panel title={texts.overdueTitle} flush>
      <Table>
        <Table.Tbody>
          {data.periods.map(({ tenant_id, subscription_id, period, due_at }) => (
            <Table.Tr key={`${tenant_id} ${subscription_id} ${period}`}>
              <Table.Td>{period}</Table.Td>
              <Table.Td className="ar-mono ar-break">{tenant_id}</Table.Td>
              <Table.Td>{subscription_id ?? texts.basePlan}</Table.Td>
              <Table.Td className="ar-end">
                {texts.due} <Instant iso={due_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}
