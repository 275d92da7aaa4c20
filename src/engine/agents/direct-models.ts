import { AppError } from "../../kit/app-error.ts";
import type { ModelRouter } from "../models/model-router.ts";
import { canonicalProvider } from "../models/providers/registry.ts";
import { resolveModels } from "../models/resolve-models.ts";
import { createRouter } from "../models/router.ts";
import type { AgentParts } from "./build-agent.ts";

/** Maximum number of cached routers. Callers choose the names, so the number must be limited. */
const routersMax = 256;

/** Models that callers name themselves, as `<provider>/<model>`, through the same breakers as the agents'; made anew at another `revision` of the providers. */
export function createDirectModels(
  parts: AgentParts,
  revision: () => unknown = () => 0,
): (provider: string, model: string) => ModelRouter {
  const routers = new Map<string, ModelRouter>();
  let built = revision();
  return (named, model) => {
    const provider = canonicalProvider(named);
    if (built !== revision()) routers.clear();
    built = revision();
    const key = `${provider}/${model}`;
    const known = routers.get(key);
    if (known !== undefined) return known;
    const router = build(provider, model, parts);
    if (routers.size >= routersMax) routers.clear();
    routers.set(key, router);
    return router;
  };
}

function build(provider: string, model: string, parts: AgentParts): ModelRouter {
  const section = {
    primary: { provider, model, timeout_seconds: 120, parameters: {} },
    fallbacks: [],
    routing: { health_check_interval: 30 },
    roles: {},
  };
  const { candidates, strategy, problems } = resolveModels(section, parts.models);
  const [problem] = problems;
  if (problem !== undefined) {
    throw new AppError(
      "not_found",
      "model_not_found",
      `${provider}/${model} can't be used: its ${problem.path.replace("spec.model.primary.", "")} ${problem.message}.`,
    );
  }
  return createRouter({
    candidates,
    strategy,
    breakers: parts.breakers,
    clock: parts.clock,
    priceOf: parts.priceOf,
    observe: parts.modelCalled,
  });
}
