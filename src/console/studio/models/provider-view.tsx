import { Anchor, Group } from "@mantine/core";
import { Link } from "wouter";
import type { Provider, ProviderModel, ProviderStatus } from "../../../contracts/daemon/models/providers.ts";
import type { StoredProvider } from "../../../contracts/daemon/models/stored-providers.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { type PlainColumn, PlainTable } from "../../parts/tables/plain-table.tsx";
import { formatCompact } from "../../parts/text/format.ts";
import { rowUsd } from "../../parts/text/money.ts";
import { StatusBadge, type Tone } from "../../parts/text/status-badge.tsx";
import { modelTexts as texts } from "../../texts/studio/monitoring.ts";
import { CircuitList } from "./circuit-list.tsx";
import { ProviderActions } from "./provider-actions.tsx";

const tones: Readonly<Record<ProviderStatus, Tone>> = {
  healthy: "good",
  degraded: "warn",
  unavailable: "bad",
  unused: "plain",
};

/** One provider: whether calls get through, and its models. */
export function ProviderView({
  provider,
  stored,
}: {
  provider: Provider;
  stored: StoredProvider | undefined;
}) {
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
        <PlainTable label={name} columns={columnsFor(local)} rows={models} keyOf={({ model }) => model} />
      )}
      <CircuitList circuits={circuits} />
      {configured !== "agent" && <ProviderActions provider={provider} stored={stored} />}
    </Panel>
  );
}

const columnsFor = (isLocal: boolean): PlainColumn<ProviderModel>[] => [
  { id: "model", header: texts.model, className: "ar-break", cell: ({ model }) => model },
  {
    id: "agents",
    header: texts.agents,
    from: "sm",
    cell: ({ agents }) => (
      <Group gap="xs">
        {agents.length === 0 && <span className="ar-soft">{texts.noAgents}</span>}
        {agents.map((agent) => (
          <Anchor key={agent} component={Link} href={`/studio/agents/${encodeURIComponent(agent)}`}>
            {agent}
          </Anchor>
        ))}
      </Group>
    ),
  },
  {
    id: "window",
    header: texts.window,
    align: "end",
    cell: ({ context_window }) => (context_window === undefined ? "–" : formatCompact(context_window)),
  },
  { id: "price", header: texts.price, align: "end", cell: ({ price }) => priceOf(price, isLocal) },
];

function priceOf(price: ProviderModel["price"], isLocal: boolean): string {
  if (price === undefined) return isLocal ? texts.free : texts.unknownPrice;
  return `${rowUsd(price.input_usd)} / ${rowUsd(price.output_usd)}`;
}
