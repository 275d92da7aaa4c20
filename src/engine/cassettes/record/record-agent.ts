import type { ModelFacts, RecordedAgent } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import { withToolsNow } from "../../agents/live-tools.ts";
import type { RunnableAgent } from "../../agents/runnable-agent.ts";

/** The data of an agent that a cassette keeps: its manifest, and the facts about models and tools when it was built. */
export function recordAgent(agent: RunnableAgent): RecordedAgent {
  const { manifest, routerFor, tools, toolSpecs } = withToolsNow(agent);
  const offered = new Set(toolSpecs.map(({ name }) => name));
  const roles = Object.keys(manifest.spec.model?.roles ?? {});
  return {
    manifest: manifest as Record<string, unknown>,
    models: {
      own: factsOf(routerFor()),
      roles: Object.fromEntries(roles.map((role) => [role, factsOf(routerFor(role))])),
    },
    tools: [...tools.values()].map(({ tool, proposes, requiresApproval }) => ({
      name: tool.name,
      type: tool.type,
      description: tool.description,
      parameters: tool.parameters,
      offered: offered.has(tool.name),
      ...(proposes && { proposes }),
      ...(requiresApproval && { requires_approval: true }),
    })),
  };
}

function factsOf({
  contextWindow,
  knownWindow,
  answerTokensMax,
  dearestPrice,
}: ReturnType<RunnableAgent["routerFor"]>): ModelFacts {
  return {
    context_window: contextWindow,
    ...(knownWindow === undefined ? {} : { known_window: knownWindow }),
    ...(answerTokensMax === undefined ? {} : { answer_tokens_max: answerTokensMax }),
    ...(dearestPrice === undefined ? {} : { price: dearestPrice }),
  };
}
