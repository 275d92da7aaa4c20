import { Title } from "@mantine/core";
import type { ReactNode } from "react";
import type { ProviderCircuit } from "../../../contracts/daemon/models/providers.ts";
import { Instant } from "../../parts/text/instant.tsx";
import { StatusBadge, type Tone } from "../../parts/text/status-badge.tsx";
import { modelTexts as texts } from "../../texts/studio/monitoring.ts";

const tones: Readonly<Record<ProviderCircuit["state"], Tone>> = {
  closed: "good",
  half_open: "warn",
  open: "bad",
};

/** The circuit breakers of a provider's servers. */
export function CircuitList({ circuits }: { circuits: readonly ProviderCircuit[] }) {
  if (circuits.length === 0) return null;
  return (
    <div className="ar-circuits">
      <Title order={3} size="h4">
        {texts.circuits}
      </Title>
      <ul>
        {circuits.map((circuit) => (
          <li key={`${circuit.address} ${circuit.key_variable}`}>
            <StatusBadge tone={tones[circuit.state]}>{texts.circuit[circuit.state]}</StatusBadge>
            <span className="ar-mono ar-break">{circuit.address ?? texts.noAddress}</span>
            <Facts circuit={circuit} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Facts({ circuit }: { circuit: ProviderCircuit }) {
  const { key_variable, failures, reachable, opened_at, retry_at, last_failure } = circuit;
  const facts: [string, ReactNode][] = [];
  if (key_variable !== undefined) facts.push(["key", texts.keyOf(key_variable)]);
  if (reachable !== undefined) facts.push(["reach", reachable ? texts.reachable : texts.unreachable]);
  if (failures > 0) facts.push(["failures", texts.failures(failures)]);
  if (opened_at !== undefined)
    facts.push(["opened", [`${texts.opened} `, <Instant key="at" iso={opened_at} />]]);
  if (retry_at !== undefined)
    facts.push(["retry", [`${texts.retries} `, <Instant key="at" iso={retry_at} />]]);
  return (
    <>
      {facts.map(([key, fact]) => (
        <span key={key} className="ar-soft">
          {fact}
        </span>
      ))}
      {last_failure !== undefined && (
        <div className="ar-circuit-failure ar-break">
          {texts.last} (<Instant iso={last_failure.at} />
          ): {last_failure.message}
        </div>
      )}
    </>
  );
}
