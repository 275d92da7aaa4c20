import type { RunOverride } from "../../../contracts/daemon/run-override.ts";
import type { RunnableAgent } from "../../../engine/run/runnable-agent.ts";
import type { DaemonDeps } from "../deps.ts";

/** The agent to run, as the override has it where there is one; refuses as the catalog does, or with `invalid_override`. */
export function agentFor(
  { catalog, overridden }: Pick<DaemonDeps, "catalog" | "overridden">,
  name: string,
  override: RunOverride | undefined,
): RunnableAgent {
  const agent = catalog.get(name);
  return override === undefined ? agent : overridden.of(agent, override);
}
