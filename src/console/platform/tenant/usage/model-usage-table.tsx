import { Table } from "@mantine/core";
import type { ModelUsage } from "../../../../contracts/platform/runs.ts";
import { formatNumber } from "../../../parts/format.ts";
import { SideScroll } from "../../../parts/side-scroll.tsx";
import { usageTexts as texts } from "../../../texts/platform-tenant-runs.ts";

/** Tokens by model and role. */
export function ModelUsageTable({ models }: { models: readonly ModelUsage[] }) {
  return (
    <SideScroll>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.model}</Table.Th>
            <Table.Th>{texts.role}</Table.Th>
            <Table.Th className="ar-end">{texts.tokensIn}</Table.Th>
            <Table.Th className="ar-end">{texts.cached}</Table.Th>
            <Table.Th className="ar-end">{texts.tokensOut}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {models.map(({ provider, model, role, tokens_in, tokens_out, tokens_cached }) => (
            <Table.Tr key={`${provider} ${model} ${role}`}>
              <Table.Td className="ar-break">
                <span className="ar-soft">{provider}/</span>
                {model}
              </Table.Td>
              <Table.Td>{role}</Table.Td>
              <Table.Td className="ar-end">{formatNumber(tokens_in)}</Table.Td>
              <Table.Td className="ar-end">{formatNumber(tokens_cached)}</Table.Td>
              <Table.Td className="ar-end">{formatNumber(tokens_out)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </SideScroll>
  );
}
