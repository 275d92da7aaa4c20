import { AppError, toAppError } from "../../../../kit/app-error.ts";
import type { Clock } from "../../../../kit/clock.ts";
import { serialQueue } from "../../../../kit/concurrency/serial-queue.ts";
import type { Logger } from "../../../../kit/log.ts";
import { didYouMean } from "../../../../kit/text/did-you-mean.ts";
import type { RagPipelineManifest } from "../../../../manifest/rag-pipeline.ts";
import type { ManifestKind } from "../../../../manifest/schema/manifest-kind.ts";
import { isTrusted, type Sender } from "../../../../manifest/senders/sender.ts";
import type { RagPipeline } from "../../../../retrieval/rag/rag-pipeline.ts";
import { faultOf, type ManifestFault } from "../../manifests/manifest-fault.ts";
import { ManifestFolder } from "../../manifests/manifest-folder.ts";
import { ownersFirst, requireOwner } from "../../manifests/manifest-sender.ts";
import type { SeenVariables } from "../../manifests/observed-variables.ts";
import type { Sent } from "../../manifests/read-sent.ts";
import { pacedLook } from "../../manifests/shared-look.ts";
import {
  makePipeline,
  type PipelineLoader,
  type PipelineSource,
  type PipelineVersion,
  pipelineNaming,
} from "./pipeline-source.ts";

/** A named pipeline with its manifest, its runnable version and its fault, if any. */
export interface PipelineEntry {
  name: string;
  sender: Sender;
  /** Path relative to the workspace; undefined for a pipeline that was sent over the API and lives in memory. */
  file: string | undefined;
  /** Last version that could be built. It serves. */
  version: PipelineVersion | undefined;
  manifest: RagPipelineManifest | undefined;
  /** Reason why the newest version was refused, or the conflict with another pipeline of the same name. */
  fault: ManifestFault | undefined;
  /** Keys of the sources with this name. The first one serves. */
  keys: readonly string[];
}

export interface PipelineLibraryParts {
  loader: PipelineLoader;
  /** Returns true for a collection with documents of the owner. */
  isOwners: (collection: string) => Promise<boolean>;
  /** True if sent pipelines are saved as files. */
  persist: boolean;
  clock: Clock;
  log: Logger;
}

/** A pipeline in memory, and the variables that it was built with. */
interface SentSource {
  source: PipelineSource;
  variables: SeenVariables;
}

/** All pipelines, from the folder's files and from the API. All changes go through this class, one at a time. */
export class PipelineLibrary {
  readonly kind: ManifestKind<RagPipelineManifest>;
  readonly #parts: PipelineLibraryParts;
  readonly #folder: ManifestFolder<PipelineSource>;
  /** Sent pipelines that live in memory, by name. */
  readonly #sent = new Map<string, SentSource>();
  readonly #inTurn = serialQueue();
  readonly #lookFirst: () => Promise<void>;
  #entries: ReadonlyMap<string, PipelineEntry> = new Map();
  /** Version that each source last served, by its key. */
  #served: ReadonlyMap<string, PipelineVersion> = new Map();

  constructor(parts: PipelineLibraryParts) {
    const { loader, clock } = parts;
    this.kind = loader.kind;
    this.#parts = parts;
    this.#lookFirst = pacedLook(() => this.look(), clock);
    this.#folder = new ManifestFolder<PipelineSource>(
      {
        ...pipelineNaming,
        ...loader,
        make: (text, file) => makePipeline(loader, text, file),
        nothing: (name, fault, before) => ({
          name,
          sender: before?.sender ?? "file",
          manifest: undefined,
          version: undefined,
          fault,
        }),
      },
      clock,
    );
  }

  get loader(): PipelineLoader {
    return this.#parts.loader;
  }

  /** Entries, sorted by name. */
  list(): PipelineEntry[] {
    return [...this.#entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  find(name: string): PipelineEntry | undefined {
    return this.#entries.get(name);
  }

  /** Like `find`, after a look at the files if no pipeline with that name can run. */
  async findFresh(name: string): Promise<PipelineEntry | undefined> {
    if (this.find(name)?.version === undefined) await this.#lookFirst();
    return this.find(name);
  }

  /** Returns the entry, or throws `pipeline_not_found` with the nearest name as a hint. */
  getEntry(name: string): PipelineEntry {
    const entry = this.#entries.get(name);
    if (entry !== undefined) return entry;
    const near = didYouMean(name, [...this.#entries.keys()]);
    const hint =
      near === undefined ? "GET /v1/rag/pipelines lists the loaded ones." : `Did you mean ${near}?`;
    throw new AppError(
      "not_found",
      "pipeline_not_found",
      `There is no pipeline named ${JSON.stringify(name)}.`,
      {
        details: { hint },
      },
    );
  }

  /** Returns the pipeline with that name. Throws `pipeline_not_found`, or `pipeline_failed` if no version could be built. */
  get(name: string): RagPipeline {
    return servingOf(this.getEntry(name));
  }

  /**
   * Returns the pipeline that fills a collection; if there are several, the first by name that can run. Throws `pipeline_failed` if none of
   * them can run.
   */
  fillerOf(collection: string): RagPipeline | undefined {
    const fillers = this.fillersOf(collection);
    const entry = fillers.find(({ version }) => version !== undefined) ?? fillers[0];
    return entry === undefined ? undefined : servingOf(entry);
  }

  /** Pipelines that fill a collection: the owner's by name, then the others. */
  fillersOf(collection: string): PipelineEntry[] {
    const fillers = this.list().filter(({ version, manifest }) => {
      const filled = version?.manifest ?? manifest;
      return filled !== undefined && collectionOf(filled) === collection;
    });
    return ownersFirst(fillers);
  }

  /** Reloads the files that changed since the last look. */
  look(): Promise<void> {
    return this.#inTurn(() => this.#refresh());
  }

  /** Adds a sent pipeline or replaces the one with its name. `admit` may refuse by throwing; it gets the current entry of that name. */
  put(
    sent: Sent<RagPipelineManifest>,
    admit: (present: PipelineEntry | undefined) => void,
  ): Promise<{ entry: PipelineEntry; isNew: boolean }> {
    const { name } = sent.manifest.metadata;
    return this.#inTurn(async () => {
      await this.#refresh();
      const present = this.find(name);
      admit(present);
      const before = present === undefined ? undefined : this.#changeable(present, sent.sender);
      const collection = collectionOf(sent.manifest);
      for (const filler of this.fillersOf(collection))
        requireOwner(
          `Collection ${collection}, which pipeline ${filler.name} fills,`,
          filler.sender,
          sent.sender,
        );
      await this.#requireCollection(collection, sent, present);
      const path = this.#parts.persist ? (before?.key ?? this.#folder.placeFor(name)) : undefined;
      const made = this.#make(sent, before?.key ?? path ?? name);
      if (path === undefined) this.#sent.set(name, made);
      else this.#folder.save(path, made.source, made.variables);
      this.#settle();
      return { entry: this.getEntry(name), isNew: present === undefined };
    });
  }

  /** Deletes a pipeline and its file. Its collection stays. */
  remove(name: string, sender: Sender): Promise<void> {
    return this.#inTurn(async () => {
      await this.#refresh();
      const { key, file } = this.#changeable(this.getEntry(name), sender);
      if (file === undefined) this.#sent.delete(name);
      else this.#folder.remove(key);
      this.#settle();
    });
  }

  /**
   * Refuses a stranger's pipeline for a collection with the owner's documents, even if no pipeline fills it. Queries would otherwise go
   * through the stranger's stores and models. A pipeline that already fills the collection may be replaced.
   */
  async #requireCollection(
    collection: string,
    { sender }: Sent<RagPipelineManifest>,
    present: PipelineEntry | undefined,
  ): Promise<void> {
    if (isTrusted(sender)) return;
    if (present !== undefined && this.fillersOf(collection).includes(present)) return;
    if (await this.#parts.isOwners(collection))
      requireOwner(`Collection ${collection}, which has documents already,`, "owner", sender);
  }

  async #refresh(): Promise<void> {
    const isRebuilt = this.#rebuildSent();
    if ((await this.#folder.refresh()) || isRebuilt) this.#settle();
  }

  /** Builds pipelines in memory anew whose variables have other values; one that can't be built keeps its last good version. */
  #rebuildSent(): boolean {
    const { build, variables: observed } = this.#parts.loader;
    let isDifferent = false;
    for (const [name, { source, variables }] of this.#sent) {
      const { manifest, version, sender } = source;
      if (manifest === undefined || version === undefined || !observed.haveChanged(variables)) continue;
      isDifferent = true;
      const { result, seen } = observed.during(() => {
        try {
          return { version: { ...version, pipeline: build(manifest, sender) }, fault: undefined };
        } catch (thrown) {
          return { version, fault: faultOf(thrown) };
        }
      });
      this.#sent.set(name, { source: { ...source, ...result }, variables: seen });
    }
    return isDifferent;
  }

  #make({ manifest, text, sender, refuse }: Sent<RagPipelineManifest>, key: string): SentSource {
    const { name } = manifest.metadata;
    const { build, variables } = this.#parts.loader;
    const { result: pipeline, seen } = variables.during(() => {
      try {
        return build(manifest, sender);
      } catch (thrown) {
        const { problems } = toAppError(thrown).details;
        throw problems === undefined ? thrown : refuse(problems);
      }
    });
    const version = { name, text, manifest, pipeline };
    const place = { key, file: undefined, name, sender };
    const source: PipelineSource = { ...place, text, manifest, version, fault: undefined };
    return { source, variables: seen };
  }

  /** Returns the source that serves an entry. Throws if several sources have the name, or if the sender may not change it. */
  #changeable({ name, keys }: PipelineEntry, sender: Sender): PipelineSource {
    const all = this.#sources().filter(({ key }) => keys.includes(key));
    const [source] = all;
    if (source === undefined) throw new Error(`The pipeline ${name} has no source.`);
    for (const one of all) requireOwner(`Pipeline ${name}`, one.sender, sender);
    if (all.length > 1) {
      const files = all.map(({ file }) => file ?? "one sent over the API").join(", ");
      throw new AppError(
        "conflict",
        "pipeline_ambiguous",
        `More than one pipeline has the name ${name}: ${files}.`,
        { details: { hint: "Rename or remove all but one of them." } },
      );
    }
    if (source.file === undefined || this.#parts.persist) return source;
    throw new AppError("conflict", "pipeline_in_file", `Pipeline ${name} comes from ${source.file}.`, {
      details: {
        hint: `Edit ${source.file}, which Argosy reloads at once. To change it through the API, set PLATFORM_PERSIST_AGENTS=1, or spec.agents.persist in runtime.yaml.`,
      },
    });
  }

  /** Sources in order of their right to a name: the owner's first, and among those the sent ones, which have their names already. */
  #sources(): PipelineSource[] {
    const sent = Array.from(this.#sent.values(), ({ source }) => source);
    return ownersFirst([...sent, ...this.#folder.sources()]);
  }

  #settle(): void {
    const { log } = this.#parts;
    const sources = this.#sources();
    const served = new Map<string, PipelineVersion>();
    for (const { key, version } of sources) {
      const serving = version ?? this.#served.get(key);
      if (serving !== undefined) served.set(key, serving);
    }
    const before = this.#entries;
    const groups = Map.groupBy(sources, ({ key, name }) => served.get(key)?.name ?? name);
    const entries = [...groups].map(([name, group]) => entryOf(name, group, served));
    this.#served = served;
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
    for (const { name, file, fault } of entries) {
      if (fault === undefined || fault.message === before.get(name)?.fault?.message) continue;
      log.warn("pipeline.refused", { pipeline: name, file, message: fault.message });
    }
    const ready = entries.filter(({ version }) => version !== undefined).length;
    log.info("pipelines.loaded", { ready, refused: entries.length - ready });
  }
}

function entryOf(
  name: string,
  group: readonly PipelineSource[],
  served: ReadonlyMap<string, PipelineVersion>,
): PipelineEntry {
  const serving = group.find(({ key }) => served.has(key)) ?? group[0];
  const other = group.find((source) => source !== serving);
  const version = serving === undefined ? undefined : served.get(serving.key);
  return {
    name,
    // A name stays the owner's, even if the owner's pipeline can't run now.
    sender: group[0]?.sender ?? "file",
    file: serving?.file,
    version,
    manifest: version?.manifest ?? serving?.manifest,
    fault: serving?.fault ?? other?.fault ?? (other && twinFault(name, other)),
    keys: [serving, ...group.filter((source) => source !== serving)].flatMap((source) => source?.key ?? []),
  };
}

const collectionOf = ({ metadata, spec }: RagPipelineManifest) => spec.collection ?? metadata.name;

function twinFault(name: string, { file }: PipelineSource): ManifestFault {
  const message = `${file ?? "a pipeline sent over the API"} also has the name ${name}; names must be unique.`;
  return { message, problems: [{ path: "metadata.name", message }] };
}

function servingOf({ name, version, file, fault }: PipelineEntry): RagPipeline {
  if (version !== undefined) return version.pipeline;
  const hint = file === undefined ? "Send it again." : `Fix ${file}; Argosy reloads it when it changes.`;
  throw new AppError(
    "unavailable",
    "pipeline_failed",
    `Pipeline ${name} could not be loaded: ${fault?.message ?? ""}`,
    { details: { hint, problems: fault?.problems ?? [] } },
  );
}
