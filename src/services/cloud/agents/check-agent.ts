import type { AgentInput, ConfigCheck } from "../../../contracts/cloud/agents.ts";
import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import { writeYaml } from "../../../manifest/yaml/write-yaml.ts";
import type { OrgActor } from "../access/credentials.ts";
import { missingKeys } from "../providers/provider-keys.ts";
import { namesOf } from "./catalog.ts";
import type { CloudAgentDeps } from "./deps.ts";
import { firstOfEach, manifestProblems, writtenProblems } from "./manifest-problems.ts";
import { inputProblems, missingProblems, readableParts } from "./wizard/check-config.ts";
import { compileManifest } from "./wizard/compile-manifest.ts";

/** Checks a new agent by the rules of a write and of a deployment, and compiles it. Stores nothing. */
export async function checkAgent(
  deps: CloudAgentDeps,
  { org }: OrgActor,
  body: unknown,
): Promise<ConfigCheck> {
  const { runtime } = deps;
  const specProblems = await inPieces(inputProblems(body, await namesOf(runtime)));
  const problems = firstOfEach([
    ...specProblems,
    ...(await writtenProblems(runtime, org.id, readableParts(body, specProblems))),
  ]);
  if (problems.length > 0) return { problems, missing: [], manifest: null };
  const { name, display_name, ...config } = body as AgentInput;
  const compilable = { name, displayName: display_name.trim(), config };
  const missing = firstOfEach([
    ...missingProblems(config),
    ...(await manifestProblems(runtime, org.id, compilable)),
    ...(await missingKeys(deps, org.id, config)),
  ]);
  return { problems: [], missing, manifest: await inPieces(writeYaml(compileManifest(compilable))) };
}
