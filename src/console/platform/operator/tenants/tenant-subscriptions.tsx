import { Table } from "@mantine/core";
import type { Subscription } from "../../../../contracts/platform/subscriptions.ts";
import { formatCredits } from "../../../parts/format.ts";
import { Panel } from "../../../parts/panel.tsx";
import { subscriptionTexts } from "../../../texts/platform-money.ts";
import { operatorTexts as texts } from "../../../texts/platform-runs.ts";

/** What a tenant has subscribed to. */
export function TenantSubscriptions({ subscriptions }: { subscriptions: readonly Subscription[] }) {
  return (
    <Panel title={texts.subscriptions} flush>
      {subscriptions.length === 0 ? (
        <p className="ar-panel-body ar-soft">{texts.noSubscriptions}</p>
      ) : (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{subscriptionTexts.argo}</Table.Th>
              <Table.Th>{subscriptionTexts.plan}</Table.Th>
              <Table.Th>{subscriptionTexts.from}</Table.Th>
              <Table.Th className="ar-end">{subscriptionTexts.used}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {subscriptions.map(({ id, argo_code, plan_id, desde, last_day, counters }) => (
              <Table.Tr key={id}>
                <Table.Td>{argo_code}</Table.Td>
                <Table.Td>{plan_id}</Table.Td>
                <Table.Td>{last_day === null ? desde : subscriptionTexts.lastDay(last_day)}</Table.Td>
                <Table.Td className="ar-end">{formatCredits(counters.credits_charged_micros)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  );
}
