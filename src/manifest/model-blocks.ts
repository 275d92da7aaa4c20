import type { AgentManifest } from "./agent.ts";
import { type ModelBlock, modelCandidates } from "./model.ts";

/** Returns every model block of an agent with its path. */
export function modelBlocks({ model }: Pick<AgentManifest["spec"], "model">): [string, ModelBlock][] {
  if (model === undefined) return [];
  const own = modelCandidates(model).map((block, index): [string, ModelBlock] => {
    const further = index - (model.fallback === undefined ? 1 : 2);
    const place = index === 0 ? "primary" : further < 0 ? "fallback" : `fallbacks[${further}]`;
    return [`spec.model.${place}`, block];
  });
  const ofRoles = Object.entries(model.roles).flatMap(([role, { candidates }]) =>
    candidates.map((block, index): [string, ModelBlock] => [
      `spec.model.roles.${role}.candidates[${index}]`,
      block,
    ]),
  );
  return [...own, ...ofRoles];
}
