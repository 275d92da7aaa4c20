import type { Problem } from "../../../kit/app-error.ts";
import type { AgentManifest } from "../../../manifest/agent/agent.ts";
import { invalidManifest } from "../../../manifest/fault.ts";
import { faultOf, type ManifestFault, placeProblems } from "../manifests/manifest-fault.ts";
import type { CatalogEntry } from "./agent-catalog.ts";
import type { AgentSource, AgentVersion } from "./agent-version.ts";

/** Finds problems between agents, such as links to missing agents. Agents without a problem may run. */
export type CheckTogether = (
  manifests: readonly AgentManifest[],
) => readonly { agent: string; problem: Problem }[];

/** Version that each source last served, by the source's key. A source falls back to it. */
export type Served = ReadonlyMap<string, AgentVersion>;

export interface SettledSources {
  entries: CatalogEntry[];
  served: Served;
}

/** A source and the versions of it that may still run, newest first. If none is left, `last` is the version removed last. */
interface Slot {
  source: AgentSource;
  options: AgentVersion[];
  last: AgentVersion | undefined;
  refused: ManifestFault | undefined;
}

/** When a source changes its name, it may free or take a name that other sources want. The loop stops after this many rounds. */
const roundsMax = 10;

/**
 * Decides which version of which source serves under which name. If a source's newest text is refused, or links to missing agents, the
 * source falls back to the version that served before, if that one can still run. If two sources have the same name, the first that can run
 * serves. Settling a settled state again changes nothing.
 */
export function resolveSources(
  sources: readonly AgentSource[],
  before: Served,
  check: CheckTogether,
): SettledSources {
  let settled = settleOnce(sources, before, check);
  for (let round = 1; round < roundsMax; round++) {
    const again = settleOnce(sources, settled.served, check);
    const isSettled = isSame(again.served, settled.served);
    settled = again;
    if (isSettled) break;
  }
  return settled;
}

function isSame(one: Served, other: Served): boolean {
  return one.size === other.size && [...one].every(([key, version]) => other.get(key) === version);
}

function settleOnce(sources: readonly AgentSource[], before: Served, check: CheckTogether): SettledSources {
  const slots = sources.map((source): Slot => {
    const served = before.get(source.key);
    const options = [source.version, served === source.version ? undefined : served];
    return {
      source,
      options: options.filter((one) => one !== undefined),
      last: undefined,
      refused: undefined,
    };
  });
  refuseTogether(slots, check);
  takeBack(slots, check);
  const groups = Map.groupBy(slots, nameOf);
  const serving = servingSlots(slots);
  return {
    entries: [...groups].map(([name, group]) => entryOf(name, group, serving.get(name))),
    served: servedBy(slots, serving, before),
  };
}

/** Moves slots to older versions, or to none, until the remaining ones have no problems with each other. */
function refuseTogether(slots: readonly Slot[], check: CheckTogether): void {
  for (;;) {
    const serving = servingSlots(slots);
    const problems = Map.groupBy(checkServing(serving, check), ({ agent }) => agent);
    const blamed = [...problems].flatMap(([name, found]) => {
      const slot = serving.get(name);
      return slot === undefined ? [] : [{ slot, found: found.map(({ problem }) => problem) }];
    });
    if (blamed.length === 0) return;
    // A slot with an older version has changed, so it may be the cause of the other slots' problems. Refuse those first.
    const changed = blamed.filter(({ slot }) => slot.options.length > 1);
    for (const { slot, found } of changed.length > 0 ? changed : blamed) {
      slot.last = slot.options.shift();
      slot.refused ??= refusalOf(slot, found);
    }
  }
}

/** Restores versions that were refused because of another version that was itself refused later. */
function takeBack(slots: readonly Slot[], check: CheckTogether): void {
  for (const slot of slots) {
    const { refused } = slot;
    const { version } = slot.source;
    if (refused === undefined || version === undefined) continue;
    slot.options.unshift(version);
    if (checkServing(servingSlots(slots), check).length === 0) slot.refused = undefined;
    else slot.options.shift();
  }
}

function checkServing(serving: ReadonlyMap<string, Slot>, check: CheckTogether) {
  return check([...serving.values()].flatMap(({ options: [version] }) => version?.manifest ?? []));
}

/** Maps each name to the first source of that name that can run. */
function servingSlots(slots: readonly Slot[]): Map<string, Slot> {
  const serving = new Map<string, Slot>();
  for (const slot of slots) {
    const name = slot.options[0]?.name;
    if (name !== undefined && !serving.has(name)) serving.set(name, slot);
  }
  return serving;
}

function nameOf({ options: [version], last, source }: Slot): string {
  return version?.name ?? last?.name ?? source.name;
}

function refusalOf({ source, last }: Slot, problems: readonly Problem[]): ManifestFault {
  return faultOf(invalidManifest(placeProblems(problems, last?.text ?? ""), source.file));
}

function entryOf(name: string, group: readonly Slot[], serving: Slot | undefined): CatalogEntry {
  const [first, second] = group;
  const displayed = serving ?? first;
  const hidden = displayed === first ? second : first;
  const version = displayed?.options[0];
  const fault = faultOfSlot(displayed) ?? faultOfSlot(hidden) ?? (hidden && twinFault(name, hidden));
  const { source, last } = displayed ?? {};
  return {
    name,
    file: source?.file,
    text: source?.text,
    document: source?.document,
    origin: source?.origin,
    agent: version?.agent,
    manifest: version?.manifest ?? last?.manifest ?? source?.manifest,
    fault,
    sources: [displayed, ...group.filter((slot) => slot !== displayed)].flatMap(
      (slot) => slot?.source.key ?? [],
    ),
  };
}

function faultOfSlot(slot: Slot | undefined): ManifestFault | undefined {
  return slot?.source.fault ?? slot?.refused;
}

function twinFault(name: string, { source }: Slot): ManifestFault {
  const who = source.file ?? "an agent sent over the API";
  const message = `${who} also has the name ${name}; names must be unique.`;
  return { message, problems: [{ path: "metadata.name", message }] };
}

/** Versions that serve now. A source that does not serve keeps the version it served before. */
function servedBy(slots: readonly Slot[], serving: ReadonlyMap<string, Slot>, before: Served): Served {
  const served = new Map<string, AgentVersion>();
  for (const slot of slots) {
    const [version] = slot.options;
    const isServing = version !== undefined && serving.get(version.name) === slot;
    const standing = isServing ? version : before.get(slot.source.key);
    if (standing !== undefined) served.set(slot.source.key, standing);
  }
  return served;
}
