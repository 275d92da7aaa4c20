import type { ManifestOrigin } from "../../../contracts/daemon/agent-versions.ts";
import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import { buildChains, type GuardrailChains } from "../../../engine/guardrails/build-chains.ts";
import { AppError, type Problem, toAppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { inPieces, othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { serialQueue } from "../../../kit/concurrency/serial-queue.ts";
import type { Logger } from "../../../kit/log.ts";
import type { AgentManifest } from "../../../manifest/agent/agent.ts";
import type { ManifestKind } from "../../../manifest/schema/manifest-kind.ts";
import type { Sender } from "../../../manifest/senders/sender.ts";
import { faultOf } from "../manifests/manifest-fault.ts";
import { ownersFirst, requireOwner } from "../manifests/manifest-sender.ts";
import type { SeenVariables } from "../manifests/observed-variables.ts";
import type { AgentCatalog, CandidateVersion, CatalogEntry } from "./agent-catalog.ts";
import { AgentFolder, readAgent } from "./agent-folder.ts";
import { beginLife } from "./agent-life.ts";
import { type AgentLoader, type AgentSource, type AgentVersion, buildVersion } from "./agent-version.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { GatedVersions, type HeldCanary } from "./gated-versions.ts";
import { type ReleaseGate, releaseRefused } from "./release-gate.ts";
import { type CheckTogether, resolveSources, type Served, type SettledSources } from "./resolve-sources.ts";
import type { SentManifest } from "./sent-manifest.ts";

export interface LibraryParts {
  loader: AgentLoader;
  catalog: AgentCatalog;
  /** True if sent agents are saved as files. */
  persist: boolean;
  checkTogether: CheckTogether;
  /** State that `checkTogether` depends on besides the agents. When it changes, all agents are checked again. */
  surroundings?: () => string;
  /** Receives all agents that serve, after each change. */
  serve?: (agents: readonly RunnableAgent[]) => void;
  /** Absent: every version that can run is taken into service. */
  gate?: ReleaseGate;
  /** Deletes the stored conversations and memories of an agent. */
  forget: (agent: string) => Promise<void>;
  clock: Clock;
  log: Logger;
}

/** Result of `put`. */
export interface Taken {
  entry: CatalogEntry;
  isNew: boolean;
}

/** All agents, from the folder's files and from the API. All changes go through this class, one at a time. */
export class AgentLibrary {
  readonly persist: boolean;
  readonly #parts: LibraryParts;
  readonly #folder: AgentFolder;
  /** Sent agents that live in memory, by name. */
  readonly #sent = new Map<string, AgentSource>();
  /** Inputs of the last build of all agents. */
  readonly #seenBySent = new Map<string, SeenVariables>();
  readonly #gated: GatedVersions;
  /** Sent versions that the gate refused last, by agent. */
  readonly #held = new Map<string, CandidateVersion>();
  /** Versions that served beside the last canary of each agent. Runs that wait for a person still end on them. */
  readonly #former = new Map<string, RunnableAgent>();
  readonly #inTurn = serialQueue();
  #served: Served = new Map();
  #surroundings: string | undefined;
  #hasLooked = false;

  constructor(parts: LibraryParts) {
    this.persist = parts.persist;
    this.#parts = parts;
    this.#folder = new AgentFolder(parts.loader, parts.clock);
    this.#gated = new GatedVersions(parts.gate);
  }

  /** Schema of manifests, with the current providers. */
  get kind(): ManifestKind<AgentManifest> {
    return this.#parts.loader.kind;
  }

  /** Problems with the keys that the sender may not use. */
  vet(manifest: AgentManifest, sender: Sender): Problem[] {
    return this.#parts.loader.vet(manifest, sender);
  }

  /** Reloads the files that changed since the last look. */
  look(): Promise<void> {
    return this.#inTurn(() => this.#refresh());
  }

  /**
   * Adds a sent agent or replaces the one with its name. `admit` may refuse by throwing; it gets the current entry of that name. Agents
   * that can't run, or that would stop another agent from running, are refused as well, and nothing changes.
   */
  put(
    sent: SentManifest,
    admit: (present: CatalogEntry | undefined) => void,
    origin: ManifestOrigin = "api",
  ): Promise<Taken> {
    const { name } = sent.manifest.metadata;
    return this.#inTurn(async () => {
      await this.#refresh();
      const guardrails = await this.#guardrailsOf(sent);
      const present = this.#parts.catalog.findEntry(name);
      admit(present);
      const before = present === undefined ? undefined : this.#changeable(present, sent.sender);
      const path = this.persist ? (before?.key ?? this.#folder.placeFor(name)) : undefined;
      const { source: made, variables } = this.#make(sent, path, before, guardrails);
      // The same text sent again is not another version.
      const source = {
        ...made,
        origin: before !== undefined && before.text === made.text ? before.origin : origin,
      };
      this.#requireSound(sent, this.#tryOut(source));
      const canary = await this.#requireReleased(sent, source);
      this.#held.delete(name);
      this.#gated.accept(source.key, canary);
      if (path === undefined) {
        this.#sent.set(source.key, source);
        // Agents with unchanged text were not rebuilt.
        if (variables.size > 0) this.#seenBySent.set(source.key, variables);
      } else this.#folder.save(path, source, variables);
      this.#publish(this.#settle());
      return { entry: this.#parts.catalog.entryNow(name), isNew: present === undefined };
    });
  }

  /** Throws the error that `put` would throw for the manifest. Changes nothing. */
  dryRun(sent: SentManifest): Promise<void> {
    const { name } = sent.manifest.metadata;
    return this.#inTurn(async () => {
      await this.#refresh();
      const guardrails = await this.#guardrailsOf(sent);
      const [key] = this.#parts.catalog.findEntry(name)?.sources ?? [];
      const before = this.#sources().find((source) => source.key === key);
      const { source } = this.#make(sent, undefined, before, guardrails);
      this.#requireSound(sent, this.#tryOut(source));
      const { problems } = await this.#gated.judge(source, this.#served);
      if (problems.length > 0) throw releaseRefused(name, sent.place(problems));
    });
  }

  /**
   * Deletes an agent, its stored conversations and memories, and its file. Running requests finish, but store nothing. If the deletion
   * fails, the agent stays.
   */
  remove(name: string, sender: Sender): Promise<void> {
    return this.#inTurn(async () => {
      await this.#refresh();
      const { key, file, life } = this.#changeable(this.#parts.catalog.entryNow(name), sender);
      if (file !== undefined) this.#folder.requireRemovable(key);
      await life.end();
      try {
        await this.#parts.forget(name);
        if (file === undefined) {
          this.#sent.delete(key);
          this.#seenBySent.delete(key);
        } else this.#folder.remove(key);
      } catch (thrown) {
        life.resume();
        throw thrown;
      }
      this.#held.delete(name);
      this.#publish(this.#settle());
    });
  }

  /** Throws `release_refused` if the gate keeps a sent version out. Until another is sent, an eval can ask it as the candidate. */
  async #requireReleased(sent: SentManifest, source: AgentSource): Promise<HeldCanary | undefined> {
    const { problems, canary } = await this.#gated.judge(source, this.#served);
    if (problems.length === 0 || source.version === undefined) return canary;
    const candidate = { agent: source.version.agent, reasons: problems.map(({ message }) => message) };
    if (this.#parts.catalog.findEntry(source.name) !== undefined) {
      this.#held.set(source.name, candidate);
      this.#publish(this.#settle());
    }
    this.#parts.log.warn("agent.release_refused", {
      agent: source.name,
      reasons: candidate.reasons,
    });
    throw releaseRefused(source.name, sent.place(problems));
  }

  async #refresh(): Promise<void> {
    const surroundings = `${this.#parts.surroundings?.()} ${await this.#gated.evidence()}`;
    const isMoved = surroundings !== this.#surroundings;
    this.#surroundings = surroundings;
    const isFolderChanged = await this.#folder.refresh();
    const isDifferent = this.#rebuildSent() || isFolderChanged;
    if (!this.#hasLooked) this.#served = this.#servedLast();
    if (isDifferent || isMoved || !this.#hasLooked) {
      await this.#gated.judgeAll(this.#sources(), this.#served);
      this.#publish(this.#settle());
    }
    this.#hasLooked = true;
  }

  /**
   * Versions that were in service when the process ended, of gated agents whose files have changed since. So a version that is refused, or a
   * file that is broken, finds them in service as it would without the restart.
   */
  #servedLast(): Served {
    const { gate, loader } = this.#parts;
    const served = new Map<string, AgentVersion>();
    const names = new Set<string>();
    for (const source of this.#sources()) {
      const { key, name, version } = source;
      const last = names.has(name) ? undefined : gate?.last(name);
      names.add(name);
      if (last?.text === undefined) continue;
      if (version !== undefined && fingerprintOf(version.agent) === last.fingerprint) continue;
      const before = readAgent(loader, last.text, source);
      if (before !== undefined && fingerprintOf(before.agent) === last.fingerprint) served.set(key, before);
    }
    return served;
  }

  /** Builds agents in memory anew whose variables have other values; one that can't be built keeps its last good version. */
  #rebuildSent(): boolean {
    const { loader } = this.#parts;
    let isDifferent = false;
    for (const [key, source] of this.#sent) {
      const { manifest, text, sender, life } = source;
      const seen = this.#seenBySent.get(key);
      if (manifest === undefined || text === undefined || seen === undefined) continue;
      if (!loader.variables.haveChanged(seen)) continue;
      isDifferent = true;
      const { result, seen: looked } = loader.variables.during(() => {
        try {
          const version = buildVersion(loader, manifest, text, { life, file: undefined, sender });
          return { version, fault: undefined };
        } catch (thrown) {
          return { version: source.version, fault: faultOf(thrown) };
        }
      });
      this.#sent.set(key, { ...source, ...result });
      this.#seenBySent.set(key, looked);
    }
    return isDifferent;
  }

  /** In the order in which they have a right to a name: the owner's first, and of those the ones that were sent have theirs already. */
  #sources(): AgentSource[] {
    return ownersFirst([...this.#sent.values(), ...this.#folder.sources()]);
  }

  #settle(sources: readonly AgentSource[] = this.#sources()): SettledSources {
    const resolve = (among: readonly AgentSource[]) =>
      resolveSources(among, this.#served, this.#parts.checkTogether);
    const released = sources.map((source) => this.#gated.withoutRefused(source));
    const settled = resolve(released);
    // A canary must be able to serve. Then the version before it goes on serving beside it.
    const canaries = [...this.#gated.canaries()].filter(
      ([key, { version }]) => settled.served.get(key) === version,
    );
    const open = new Map(canaries);
    const { entries, served } =
      open.size === 0
        ? settled
        : resolve(
            released.map((source) =>
              open.get(source.key)?.version === source.version ? { ...source, version: undefined } : source,
            ),
          );
    return { served, entries: entries.map((entry) => this.#withOthers(entry, open)) };
  }

  /** Adds the versions beside the one in service. */
  #withOthers(entry: CatalogEntry, canaries: ReadonlyMap<string, HeldCanary>): CatalogEntry {
    const candidate = this.#held.get(entry.name) ?? this.#gated.candidateOf(entry.sources);
    const canary = canaries.get(entry.sources[0] ?? "");
    return {
      ...entry,
      ...(candidate && { candidate }),
      ...(canary && entry.agent && { canary }),
    };
  }

  /** Returns the source that serves an entry. Throws if several sources have the name, or if the sender may not change it. */
  #changeable({ name, sources: [key], sources }: CatalogEntry, sender: Sender): AgentSource {
    const all = this.#sources().filter((source) => sources.includes(source.key));
    const source = all.find((one) => one.key === key);
    if (source === undefined) throw new Error(`The agent ${name} has no source.`);
    for (const one of all) requireOwner(`Agent ${name}`, one.sender, sender);
    if (all.length > 1) {
      throw new AppError(
        "conflict",
        "agent_ambiguous",
        `More than one agent has the name ${name}: ${all.map(({ file }) => file ?? "one sent over the API").join(", ")}.`,
        { details: { hint: "Rename or remove all but one of them." } },
      );
    }
    if (source.file === undefined || this.persist) return source;
    throw new AppError("conflict", "agent_in_file", `Agent ${name} comes from ${source.file}.`, {
      details: {
        hint: `Edit ${source.file}, which Argosy reloads at once. To change it through the API, set PLATFORM_PERSIST_AGENTS=1, or spec.agents.persist in runtime.yaml.`,
      },
    });
  }

  /** Builds the guardrails in pieces. The rest of an agent is built in one, so other work gets a turn before that. */
  async #guardrailsOf({ manifest }: SentManifest): Promise<GuardrailChains> {
    const guardrails = await inPieces(buildChains(manifest));
    await othersTurn();
    return guardrails;
  }

  /** Builds the source for a sent manifest, which replaces `before`. */
  #make(
    sent: SentManifest,
    path: string | undefined,
    before: AgentSource | undefined,
    guardrails: GuardrailChains,
  ) {
    const { manifest, document, text, sender } = sent;
    const { name } = manifest.metadata;
    const life = before?.life ?? beginLife();
    // An unchanged text keeps its version and the version's in-memory state.
    const same = before?.text === text && before.sender === sender ? before.version : undefined;
    const { result: version, seen } = this.#parts.loader.variables.during(() => {
      try {
        const place = { life, file: undefined, sender };
        return same ?? buildVersion(this.#parts.loader, manifest, text, place, guardrails);
      } catch (thrown) {
        const { problems } = toAppError(thrown).details;
        throw problems === undefined ? thrown : sent.refuse(problems);
      }
    });
    const key = before?.key ?? path ?? name;
    const file = path === undefined ? undefined : before?.file;
    const fault = undefined;
    const source: AgentSource = {
      ...{ key, file, name, sender },
      ...{ text, document, manifest, version, fault, life },
    };
    return { source, variables: seen };
  }

  /** Returns the settled state that this source would lead to. */
  #tryOut(source: AgentSource): SettledSources {
    const sources = this.#sources();
    const place = sources.findIndex(({ key }) => key === source.key);
    if (place === -1) return this.#settle([...sources, source]);
    return this.#settle(sources.with(place, source));
  }

  /** Refuses a manifest that can't run or would stop other agents from running. */
  #requireSound(sent: SentManifest, { entries }: SettledSources): void {
    const { catalog } = this.#parts;
    const own = entries.find(({ name }) => name === sent.manifest.metadata.name);
    if (own?.agent === undefined || own.text !== sent.text) {
      throw sent.refuse(own?.fault?.problems ?? []);
    }
    const harmed = entries.find(
      ({ name, agent }) => agent === undefined && catalog.findEntry(name)?.agent !== undefined,
    );
    if (harmed === undefined) return;
    throw sent.refuse([
      { path: "", message: `would keep agent ${harmed.name} from running: ${harmed.fault?.message ?? ""}` },
    ]);
  }

  #publish({ entries, served }: SettledSources): void {
    const { catalog, log } = this.#parts;
    for (const { name, agent, canary } of catalog.list()) {
      const next = entries.find((entry) => entry.name === name);
      if (canary === undefined || next?.canary?.version === canary.version) continue;
      this.#parts.gate?.withdraw(name, fingerprintOf(canary.version.agent));
      if (agent !== undefined && next?.agent === canary.version.agent) this.#former.set(name, agent);
    }
    const news = entries.filter(
      ({ name, fault }) => fault !== undefined && fault.message !== catalog.findEntry(name)?.fault?.message,
    );
    const isServing = new Map(entries.map(({ name, agent }) => [name, agent]));
    for (const version of served.values()) {
      const { name, agent } = version;
      if (isServing.get(name) !== agent || agent === catalog.findEntry(name)?.agent) continue;
      this.#parts.gate?.serve(version);
    }
    for (const { name } of catalog.list()) {
      if (isServing.has(name)) continue;
      this.#parts.gate?.forget(name);
      this.#former.delete(name);
    }
    for (const { canary } of entries) if (canary) this.#parts.gate?.begin(canary.version, canary.before);
    this.#served = served;
    catalog.replace(entries.map((entry) => ({ ...entry, former: this.#former.get(entry.name) })));
    this.#parts.serve?.(
      entries.flatMap(({ agent, canary }) => [agent ?? [], canary?.version.agent ?? []].flat()),
    );
    for (const { name, file, fault } of news) {
      log.warn("agent.refused", { agent: name, file, message: fault?.message });
    }
    log.info("agents.loaded", { ready: catalog.loadedCount, refused: catalog.failedCount });
  }
}
