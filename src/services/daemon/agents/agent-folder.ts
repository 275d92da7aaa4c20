import type { Clock } from "../../../kit/clock.ts";
import { checkFile } from "../../../manifest/manifest-kind.ts";
import { invalidManifest } from "../../../manifest/problems.ts";
import { nameOfFile } from "../manifests/manifest-files.ts";
import { type Made, ManifestFolder } from "../manifests/manifest-folder.ts";
import { agentNaming } from "./agent-files.ts";
import { beginLife } from "./agent-life.ts";
import type { AgentSource } from "./agent-source.ts";
import { type AgentLoader, buildVersion, faultOf } from "./agent-version.ts";

/** The agents of the folder's files: those that read the same keep what they have in memory, rate limits and latencies among it. */
export class AgentFolder extends ManifestFolder<AgentSource> {
  constructor(loader: AgentLoader, clock: Clock) {
    super(
      {
        ...agentNaming,
        folder: loader.folder,
        workspace: loader.workspace,
        variables: loader.variables,
        make: (text, file, before) => makeAgent(loader, text, file, before),
        nothing: (name, fault, before) => ({
          name,
          manifest: undefined,
          version: undefined,
          fault,
          life: before?.life ?? beginLife(),
        }),
      },
      clock,
    );
  }
}

/** What the text declares and what can run of it. */
function makeAgent(
  loader: AgentLoader,
  text: string,
  file: string,
  before: AgentSource | undefined,
): Made<AgentSource> {
  const life = before?.life ?? beginLife();
  const checked = checkFile(loader.kind, text, loader.variables.read);
  if ("problems" in checked) {
    const fault = faultOf(invalidManifest(checked.problems, file));
    return { name: nameOfFile(file, agentNaming), manifest: undefined, version: undefined, fault, life };
  }
  const { manifest } = checked;
  const { name } = manifest.metadata;
  try {
    const version = buildVersion(loader, manifest, text, { life, file });
    return { name, manifest, version, fault: undefined, life };
  } catch (thrown) {
    return { name, manifest, version: undefined, fault: faultOf(thrown), life };
  }
}
