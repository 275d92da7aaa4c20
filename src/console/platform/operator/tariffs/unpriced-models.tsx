import { Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { usePlatform } from "../../../api/use-server.tsx";
import { formatNumber } from "../../../parts/format.ts";
import { Panel } from "../../../parts/panel.tsx";
import { tariffTexts as texts } from "../../../texts/platform-money.ts";

/** Models that tenants used this month without anybody having filed what they cost; nothing when there are none. */
export function UnpricedModels() {
  const platform = usePlatform();
  const { data } = useQuery({
    queryKey: ["platform", "admin", "usage", ""],
    queryFn: () => platform.platformUsage(),
  });
  const models = data?.unpriced_models ?? [];
  if (models.length === 0) return null;
  return (
    <Panel title={texts.unpriced} flush>
      <Text className="ar-soft ar-panel-body">{texts.unpricedHint}</Text>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.model}</Table.Th>
            <Table.Th className="ar-end">{texts.runs}</Table.Th>
            <Table.Th className="ar-end">{texts.tokens}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {models.map(({ provider, model, invocations, tokens_in, tokens_out }) => (
            <Table.Tr key={`${provider}/${model}`}>
              <Table.Td className="ar-break">
                {provider}/{model}
              </Table.Td>
              <Table.Td className="ar-end">{formatNumber(invocations)}</Table.Td>
              <Table.Td className="ar-end">{formatNumber(tokens_in + tokens_out)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}
