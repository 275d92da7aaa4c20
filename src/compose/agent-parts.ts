import { createBreakers } from "../engine/models/breakers.ts";
import type { ModelSources } from "../engine/models/model-sources.ts";
import { createMinijinjaEngine } from "../engine/prompts/minijinja-engine.ts";
import { type AgentParts, buildAgent } from "../engine/run/build-agent.ts";
import { configuredPrice } from "../engine/spending/configured-price.ts";
import { tablePrice } from "../engine/spending/price-table.ts";
import { createMemoryCache } from "../engine/tools/tool-cache.ts";
import { AppError, type Problem } from "../kit/app-error.ts";
import { type Clock, systemClock } from "../kit/clock.ts";
import { type NewId, newId } from "../kit/id.ts";
import type { AgentManifest } from "../manifest/agent.ts";
import { childCommand } from "./child-command.ts";
import type { Config } from "./config.ts";
import { discoverModels } from "./model-discovery.ts";
import { providerFetch } from "./provider-fetch.ts";
import { registriesOf } from "./registries.ts";

/** What agents are built from besides the configuration. */
export interface AgentPorts extends Pick<AgentParts, "conversations" | "modelCalled"> {
  clock: Clock;
  newId: NewId;
  sources: ModelSources;
}

/** The parts from which agents are built under this configuration. */
export function createAgentParts(config: Config, ports: AgentPorts): AgentParts {
  const { clock } = ports;
  const circuit = config.providers.circuit_breaker;
  const templates = createMinijinjaEngine({ clock, childCommand: childCommand("template-child") });
  return {
    registries: registriesOf(config),
    templates,
    models: {
      sources: ports.sources,
      ports: { fetch: providerFetch, clock, newId: ports.newId },
      rehearse: config.models.rehearse,
    },
    breakers: createBreakers(clock, {
      failureThreshold: circuit.failure_threshold,
      cooldownMs: circuit.recovery_seconds * 1000,
    }),
    tools: { templates, cache: createMemoryCache(clock), clock },
    conversations: ports.conversations,
    priceOf: (model) =>
      configuredPrice(config.providers.providers, model.provider, model.model) ??
      tablePrice(config.prices, model),
    clock,
    modelCalled: ports.modelCalled,
  };
}

/** What keeps an agent from being built, found by building it; nothing is stored or called. */
export async function agentBuildingProblems(config: Config): Promise<(manifest: AgentManifest) => Problem[]> {
  const ports = { clock: systemClock, newId };
  const parts = createAgentParts(config, {
    ...ports,
    sources: await discoverModels({ config, ...ports }),
    conversations: { recent: async () => [], append: async () => {}, clear: async () => 0 },
    modelCalled: () => {},
  });
  return (manifest) => {
    try {
      buildAgent(manifest, parts);
      return [];
    } catch (thrown) {
      if (thrown instanceof AppError && thrown.details.problems !== undefined) return thrown.details.problems;
      throw thrown;
    }
  };
}
