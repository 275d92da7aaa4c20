import type { RunOverride } from "../../../contracts/daemon/runs/run-override.ts";
import type { RunnableAgent } from "../../../engine/run/runnable-agent.ts";
import { AppError } from "../../../kit/app-error.ts";
import { isTrusted, type Sender } from "../../../manifest/senders/sender.ts";
import type { DaemonDeps } from "../deps.ts";

/**
 * Returns the agent to run, with the override applied if there is one. Throws like the catalog, or `invalid_override`. An agent of the
 * machine's owner has the owner's tools and keys, so only the owner may override its prompt or model.
 */
export function agentFor(
  { catalog, overridden }: Pick<DaemonDeps, "catalog" | "overridden">,
  name: string,
  override: RunOverride | undefined,
  sender: Sender,
): RunnableAgent {
  const agent = catalog.get(name);
  if (override === undefined) return agent;
  if (isTrusted(agent.sender) && !isTrusted(sender)) throw ownersAgent(name, override);
  return overridden.of(agent, override);
}

function ownersAgent(name: string, override: RunOverride): AppError {
  const message = `can't be set: ${name} belongs to this machine's owner, who alone overrides it`;
  const problems = Object.keys(override).map((key) => ({ path: `override.${key}`, message }));
  return new AppError(
    "invalid",
    "invalid_override",
    `The agent can't be overridden so: ${problems[0]?.path} ${message}.`,
    { details: { problems, hint: "Run it as it is, or send an agent of your own." } },
  );
}
