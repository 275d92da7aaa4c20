import { Fragment, type ReactNode } from "react";
import type { AgentDetail } from "../../../contracts/daemon/agents.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { formatNumber } from "../../parts/text/format.ts";
import { agentsTexts as texts } from "../../texts/studio/agents.ts";

/** The main facts of an agent. */
export function AgentFacts({ agent }: { agent: AgentDetail }) {
  const { model, orchestration, version, namespace, file } = agent;
  const isRead = orchestration.pattern !== "";
  const facts: readonly (readonly [string, ReactNode])[] = [
    [texts.model, isRead ? <ModelName key="model" model={model.primary} /> : ""],
    ...(model.fallback === null
      ? []
      : ([
          [texts.fallback, <ModelName key="fallback" model={model.fallback} />],
          [texts.routing, model.routing.strategy],
        ] as const)),
    [texts.pattern, orchestration.pattern],
    [texts.iterations, isRead ? formatNumber(orchestration.max_iterations) : ""],
    [texts.timeout, isRead ? texts.seconds(formatNumber(orchestration.timeout)) : ""],
    [texts.version, version],
    [texts.namespace, namespace],
    [texts.file, file ?? texts.inMemory],
  ];
  return (
    <Panel title={texts.about}>
      <dl className="ar-agents-facts">
        {facts
          .filter(([, value]) => value !== "")
          .map(([label, value]) => (
            <Fragment key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </Fragment>
          ))}
      </dl>
    </Panel>
  );
}

function ModelName({ model }: { model: AgentDetail["model"]["primary"] }) {
  return (
    <span className="ar-mono">{model === null ? texts.noModel : `${model.provider}/${model.model}`}</span>
  );
}
