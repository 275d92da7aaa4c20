import type { ModelFacts, TapedAgent } from "../../contracts/daemon/cassette-file.ts";
import type { RunnableAgent } from "../run/runnable-agent.ts";

/** What a cassette keeps of an agent: its manifest, and what the world told when it was built. */
export function tapeAgent({ manifest, routerFor, tools, toolSpecs }: RunnableAgent): TapedAgent {
  const offered = new Set(toolSpecs.map(({ name }) => name));
  const roles = Object.keys(manifest.spec.model?.roles ?? {});
  return {
    manifest: manifest as Record<string, unknown>,
    models: {
      own: factsOf(routerFor()),
      roles: Object.fromEntries(roles.map((role) => [role, factsOf(routerFor(role))])),
    },
    tools: [...tools.values()].map(({ tool: { name, type, description, parameters } }) => ({
      name,
      type,
      description,
      parameters,
      offered: offered.has(name),
    })),
  };
}

function factsOf({
  contextWindow,
  answerTokensMax,
  dearestPrice,
}: ReturnType<RunnableAgent["routerFor"]>): ModelFacts {
  return {
    context_window: contextWindow,
    ...(answerTokensMax === undefined ? {} : { answer_tokens_max: answerTokensMax }),
    ...(dearestPrice === undefined ? {} : { price: dearestPrice }),
  };
}
