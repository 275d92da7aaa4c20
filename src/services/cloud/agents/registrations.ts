import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import {
  registerAgent as registerWith,
  runtimeFailed,
} from "../../../control-plane/agents/register-agent.ts";
import { sweepDue } from "../../../control-plane/agents/sweep-agents.ts";
import { toAppError } from "../../../kit/app-error.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import type { Logger } from "../../../kit/log.ts";
import { type AloneDeps, whenAlone } from "../../../storage/alone.ts";
import type { CloudStorage } from "../tables.ts";
import { type DeployedAgent, deployedAfter } from "./store.ts";
import { invalidConfig } from "./wizard/check-config.ts";
import { configProblem } from "./wizard/compile-manifest.ts";

/** Id of an agent in the runtime. A slug contains no `_`, so ids of two orgs are never equal. */
export const runtimeIdOf = (slug: string, name: string): string => `${slug}__${name}`;

/**
 * Version of an agent in the runtime. A new agent with the name and the config of a deleted one is another version, because its memory is
 * another.
 */
export const runtimeChecksumOf = ({ id, checksum }: Pick<DeployedAgent, "id" | "checksum">): string =>
  `${id}:${checksum ?? ""}`;

/** Registers a deployed agent with the runtime. Throws `invalid_config` if the runtime can't run it, unless it is deferred. */
export async function registerAgent(
  runtime: Pick<RuntimeClient, "register">,
  { id, orgId, slug, name, spec, checksum }: DeployedAgent,
  { deferred }: { deferred?: true } = {},
): Promise<void> {
  const agent = {
    tenant_id: orgId,
    agent_id: id,
    name,
    namespace: slug,
    keys: "own",
    checksum: runtimeChecksumOf({ id, checksum }),
    spec,
    ...(deferred && { deferred }),
  } as const;
  await registerWith(runtime, runtimeIdOf(slug, name), agent, {
    refused: ({ details: { problems } }) => problems && invalidConfig(problems.map(configProblem)),
    failed: orgRuntimeFailed,
  });
}

/** For a runtime that could not be reached or broke off. */
export const orgRuntimeFailed = (cause: unknown) => runtimeFailed(cause, ". Try again in a few seconds.");

interface RegisterDeps extends AloneDeps {
  storage: CloudStorage;
  runtime: Pick<RuntimeClient, "register">;
  log: Logger;
}

/**
 * Registers every deployed agent, and logs those that the runtime refuses. A version with which three processes died is left out. The
 * processes that share the database take turns. Returns how many are registered.
 */
export async function registerDeployed(deps: RegisterDeps, signal: AbortSignal): Promise<number> {
  const work = (held: AbortSignal) => registerAll(deps, held);
  return (await whenAlone("deployed-agents", deps, work, signal)) ?? 0;
}

async function registerAll({ storage, runtime, log, owner }: RegisterDeps, signal: AbortSignal) {
  let registered = 0;
  const { read, tables } = storage;
  await sweepDue(storage, (after, limit) => deployedAfter(read, tables, after, limit), {
    kind: "deployed_agent",
    owner,
    log,
    signal,
    keyOf: ({ slug, name, checksum }) => `${slug}/${name}@${checksum ?? ""}`,
    async work(agent) {
      try {
        // Its deployment has validated it. The runtime builds it at its first run.
        await registerAgent(runtime, agent, { deferred: true });
        registered++;
      } catch (thrown) {
        const { code, kind } = toAppError(thrown);
        // A runtime that is away is asked again later, for all of them.
        if (kind === "upstream_failed") throw thrown;
        log.warn("agent.not_registered", { agent: runtimeIdOf(agent.slug, agent.name), code });
      }
      await othersTurn();
    },
  });
  return registered;
}
