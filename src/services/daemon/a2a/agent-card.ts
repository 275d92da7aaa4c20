import { a2aVersion } from "../../../contracts/daemon/a2a.ts";
import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import type { Access } from "../../../http/front-door/front-door.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";

/** Returns the agents whose manifests have `spec.a2a.enabled` and that can run, by name. */
export function sharedAgents(catalog: AgentCatalog): RunnableAgent[] {
  return catalog
    .list()
    .flatMap((entry) => (entry.agent && catalog.statusOf(entry) === "ready" ? [entry.agent] : []))
    .filter(({ manifest }) => manifest.spec.a2a?.enabled === true)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns a shared agent. For callers, an agent that is not shared does not exist. */
export async function getSharedAgent(catalog: AgentCatalog, name: string): Promise<RunnableAgent> {
  await catalog.findFresh(name);
  const agent = sharedAgents(catalog).find((each) => each.name === name);
  if (agent !== undefined) return agent;
  throw new AppError(
    "not_found",
    "agent_not_shared",
    `No agent named ${JSON.stringify(name.slice(0, 100))} is available over A2A.`,
    {
      details: {
        hint: "An agent is available if its manifest has spec.a2a.enabled: true, and if it is ready.",
      },
    },
  );
}

export const cardPath = (name: string): string =>
  `/a2a/${encodeURIComponent(name)}/.well-known/agent-card.json`;

/** Describes an agent to other agents. Readers of A2A 1.0 and of 0.3 find their own fields in it. */
export function agentCard(
  { name, description, manifest, structured }: RunnableAgent,
  origin: string,
  access: Access,
): object {
  const { identity } = manifest.spec;
  const about = description === "" ? `The agent ${name}.` : description;
  const displayName = identity.display_name ?? name;
  const url = `${origin}/a2a/${encodeURIComponent(name)}`;
  const needsToken = access.exposed && access.guard === "api_token";
  return {
    protocolVersion: a2aVersion,
    name: displayName,
    description: about,
    url,
    preferredTransport: "JSONRPC",
    supportedInterfaces: ["1.0", "0.3"].map((protocolVersion) => ({
      url,
      protocolBinding: "JSONRPC",
      protocolVersion,
    })),
    version: manifest.metadata.version,
    capabilities: { streaming: true, pushNotifications: true, stateTransitionHistory: false },
    defaultInputModes: ["text/plain", "application/json"],
    defaultOutputModes: structured === undefined ? ["text/plain"] : ["text/plain", "application/json"],
    skills: [{ id: name, name: displayName, description: about, tags: [manifest.metadata.namespace] }],
    ...(needsToken
      ? {
          securitySchemes: {
            bearer: { type: "http", scheme: "bearer", httpAuthSecurityScheme: { scheme: "Bearer" } },
          },
          security: [{ bearer: [] }],
          securityRequirements: [{ schemes: { bearer: { list: [] } } }],
        }
      : {}),
  };
}

/** Returns the card of the only shared agent. If there are several, the error names the address of each. */
export function onlyCard(catalog: AgentCatalog, origin: string, access: Access): object {
  const [only, ...others] = sharedAgents(catalog);
  if (only === undefined)
    throw new AppError("not_found", "agent_not_shared", "No agent is available over A2A.", {
      details: { hint: "Set spec.a2a.enabled: true in the manifest of an agent." },
    });
  if (others.length === 0) return agentCard(only, origin, access);
  const places = [only, ...others].map(({ name }) => `${origin}${cardPath(name)}`);
  throw new AppError(
    "conflict",
    "several_agents",
    "Several agents are available over A2A, and each has a card of its own.",
    {
      details: { hint: `Use one of ${places.slice(0, 20).join(", ")}.` },
    },
  );
}
