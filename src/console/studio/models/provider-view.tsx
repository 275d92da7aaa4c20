import { Anchor, Table } from "@mantine/core";
import { Link } from "wouter";
import type { Provider, ProviderModel, ProviderStatus } from "../../../contracts/daemon/providers.ts";
import { formatCompact, formatUsd } from "../../parts/format.ts";
import { Panel } from "../../parts/panel.tsx";
import { StatusBadge, type Tone } from "../../parts/status-badge.tsx";
import { modelTexts as texts } from "../../texts/studio-watch.ts";
import { CircuitList } from "./circuit-list.tsx";

const tones: Readonly<Record<ProviderStatus, Tone>> = {
  healthy: "good",
  degraded: "warn",
  unavailable: "bad",
  unused: "plain",
};

/** One provider: whether calls get through, and its models. */
export function ProviderView({ provider }: { provider: Provider }) {
  const { name, type, configured, local, status, reason, models, circuits } = provider;
  const facts = [type, texts.configured[configured], ...(local ? [texts.local] : [])];
  return (
    <Panel
      title={name}
      flush
      actions={
        <>
          <span className="ar-soft">{facts.join(" · ")}</span>
          <StatusBadge tone={tones[status]}>{texts.status[status]}</StatusBadge>
        </>
      }
    >
      {reason !== undefined && <p className="ar-provider-reason ar-break">{reason}</p>}
      {models.length > 0 && (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.model}</Table.Th>
              <Table.Th>{texts.agents}</Table.Th>
              <Table.Th className="ar-end">{texts.window}</Table.Th>
              <Table.Th className="ar-end">{texts.price}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {models.map((model) => (
              <ModelRow key={model.model} model={model} isLocal={local} />
            ))}
          </Table.Tbody>
        </Table>
      )}
      <CircuitList circuits={circuits} />
    </Panel>
  );
}

function ModelRow({
  model: { model, agents, context_window, price },
  isLocal,
}: {
  model: ProviderModel;
  isLocal: boolean;
}) {
  return (
    <Table.Tr>
      <Table.Td className="ar-break">{model}</Table.Td>
      <Table.Td>
        {agents.length === 0 && <span className="ar-soft">{texts.noAgents}</span>}
        {agents.map((agent) => (
          <Anchor key={agent} component={Link} href={`/studio/agents/${encodeURIComponent(agent)}`} mr="xs">
            {agent}
          </Anchor>
        ))}
      </Table.Td>
      <Table.Td className="ar-end">
        {context_window === undefined ? "–" : formatCompact(context_window)}
      </Table.Td>
      <Table.Td className="ar-end">{priceOf(price, isLocal)}</Table.Td>
    </Table.Tr>
  );
}

function priceOf(price: ProviderModel["price"], isLocal: boolean): string {
  if (price === undefined) return isLocal ? texts.free : texts.unknownPrice;
  return `${formatUsd(price.input_usd)} / ${formatUsd(price.output_usd)}`;
}
