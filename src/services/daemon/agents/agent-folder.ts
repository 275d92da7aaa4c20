import type { Clock } from "../../../kit/clock.ts";
import { invalidManifest } from "../../../manifest/fault.ts";
import { checkFile, checkFileReading } from "../../../manifest/schema/manifest-kind.ts";
import { isTrusted } from "../../../manifest/senders/sender.ts";
import { type ManifestReader, plainReader } from "../manifests/kept-values.ts";
import { faultOf } from "../manifests/manifest-fault.ts";
import { type ManifestNaming, manifestFiles, nameOfFile } from "../manifests/manifest-files.ts";
import { type Made, ManifestFolder } from "../manifests/manifest-folder.ts";
import { senderOf } from "../manifests/manifest-sender.ts";
import { beginLife } from "./agent-life.ts";
import { type AgentLoader, type AgentSource, type AgentVersion, buildVersion } from "./agent-version.ts";

/** Naming rules for agent files. */
export const agentNaming: ManifestNaming = {
  what: "agents",
  ending: /\.agent\.ya?ml$/,
  newEnding: ".agent.yaml",
};

/** Paths of the agent files in a folder; see `manifestFiles`. */
export const agentFiles = (folder: string): string[] => manifestFiles(folder, agentNaming);

/** Agents of the folder's files. An agent whose text is unchanged keeps its in-memory state, such as rate limits and latencies. */
export class AgentFolder extends ManifestFolder<AgentSource> {
  readonly #reader: ManifestReader;
  #looks = 0;

  constructor(loader: AgentLoader, clock: Clock) {
    super(
      {
        ...agentNaming,
        folder: loader.folder,
        workspace: loader.workspace,
        variables: loader.variables,
        make: (text, file, before) => makeAgent(loader, text, file, before),
        mayHeal: ({ manifest, version }) => manifest !== undefined && version === undefined,
        nothing: (name, fault, before) => ({
          name,
          // No version can run, but the sender of the previous version is kept.
          sender: before?.sender ?? "file",
          manifest: undefined,
          version: undefined,
          fault,
          life: before?.life ?? beginLife(),
        }),
      },
      clock,
    );
    this.#reader = loader.reader ?? plainReader;
  }

  override async refresh(): Promise<boolean> {
    const isDifferent = await super.refresh();
    // The first look is a part of the start, which needs the values and doesn't wait until they are written.
    if (++this.#looks === 2) this.#keep();
    return isDifferent;
  }

  override remove(path: string): void {
    super.remove(path);
    if (this.#looks > 1) this.#keep();
  }

  #keep(): void {
    this.#reader.keep(this.sources().filter(({ sender }) => isTrusted(sender)));
  }
}

/** Builds an earlier version of a source from its text; undefined if it can't be built now, or has another name. */
export function readAgent(loader: AgentLoader, text: string, source: AgentSource): AgentVersion | undefined {
  const { version } = makeAgent(loader, text, source.file ?? source.name, source);
  return version?.name === source.name ? version : undefined;
}

/** Builds the manifest and the runnable version from the text. */
function makeAgent(
  loader: AgentLoader,
  text: string,
  file: string,
  before: AgentSource | undefined,
): Made<AgentSource> {
  const life = before?.life ?? beginLife();
  const sender = senderOf(text);
  // The limit of a sender's text is another one, so its value is not kept.
  const checked = isTrusted(sender)
    ? checkFileReading(loader.kind, (loader.reader ?? plainReader).read(text), loader.variables.read)
    : checkFile(loader.kind, text);
  if ("problems" in checked) {
    const fault = faultOf(invalidManifest(checked.problems, file));
    return {
      name: nameOfFile(file, agentNaming),
      sender,
      manifest: undefined,
      version: undefined,
      fault,
      life,
    };
  }
  const { manifest, document } = checked;
  const { name } = manifest.metadata;
  try {
    const version = buildVersion(loader, manifest, text, { life, file, sender });
    return { name, sender, document, manifest, version, fault: undefined, life };
  } catch (thrown) {
    return { name, sender, document, manifest, version: undefined, fault: faultOf(thrown), life };
  }
}
