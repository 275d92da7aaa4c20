import { Table } from "@mantine/core";
import type { ModelUsage } from "../../../contracts/platform/runs.ts";
import { formatNumber } from "../../parts/format.ts";
import { Panel } from "../../parts/panel.tsx";
import { operatorTexts as texts } from "../../texts/platform-runs.ts";

/** Which models runs used, and how much. */
export function ModelUsageTable({ title, models }: { title: string; models: readonly ModelUsage[] }) {
  return (
    <Panel title={title} flush>
      {models.length === 0 ? (
        <p className="ar-panel-body ar-soft">{texts.noRuns}</p>
      ) : (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.model}</Table.Th>
              <Table.Th>{texts.role}</Table.Th>
              <Table.Th className="ar-end">{texts.tokens}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {models.map(({ provider, model, role, tokens_in, tokens_out, tokens }) => (
              <Table.Tr key={`${provider}/${model} ${role}`}>
                <Table.Td className="ar-break">
                  {provider}/{model}
                </Table.Td>
                <Table.Td>{role}</Table.Td>
                <Table.Td className="ar-end">
                  {formatNumber(tokens)}{" "}
                  <span className="ar-soft">
                    ({texts.tokensNote(formatNumber(tokens_in), formatNumber(tokens_out))})
                  </span>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  );
}
