import { Table } from "@mantine/core";
import type { PricedModelUsage } from "../../../../contracts/platform/admin.ts";
import { formatCredits, formatMicrosUsd, formatNumber } from "../../../parts/format.ts";
import { Panel } from "../../../parts/panel.tsx";
import { operatorTexts as texts } from "../../../texts/platform-runs.ts";

/** What a run used of each model, and what that cost. */
export function PricedUsage({ models }: { models: readonly PricedModelUsage[] }) {
  return (
    <Panel title={texts.usedOf} flush>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.model}</Table.Th>
            <Table.Th className="ar-end">{texts.tokens}</Table.Th>
            <Table.Th className="ar-end">{texts.cached}</Table.Th>
            <Table.Th className="ar-end">{texts.credits}</Table.Th>
            <Table.Th className="ar-end">{texts.providerCost}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {models.map((used) => (
            <Table.Tr key={`${used.provider}/${used.model} ${used.role}`}>
              <Table.Td className="ar-break">
                {used.provider}/{used.model} <span className="ar-soft">{used.role}</span>
              </Table.Td>
              <Table.Td className="ar-end">
                {texts.tokensNote(formatNumber(used.tokens_in), formatNumber(used.tokens_out))}
              </Table.Td>
              <Table.Td className="ar-end">{formatNumber(used.tokens_cached)}</Table.Td>
              <Table.Td className="ar-end">
                {used.priced ? formatCredits(used.credits_micros) : texts.notPriced}
              </Table.Td>
              <Table.Td className="ar-end">{formatMicrosUsd(used.provider_cost_micros)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}
