import type { Problem } from "../../../kit/app-error.ts";
import type { AgentManifest } from "../../../manifest/agent.ts";
import { invalidManifest } from "../../../manifest/problems.ts";
import type { CatalogEntry } from "./agent-catalog.ts";
import type { AgentSource } from "./agent-source.ts";
import { type AgentVersion, type Fault, faultOf, placeProblems } from "./agent-version.ts";

/** What is wrong with agents only because of each other; whoever has no problem may run. */
export type CheckTogether = (
  manifests: readonly AgentManifest[],
) => readonly { agent: string; problem: Problem }[];

/** The version that each source served with, by the source's key: what it falls back to. */
export type Served = ReadonlyMap<string, AgentVersion>;

export interface Settled {
  entries: CatalogEntry[];
  served: Served;
}

/** A source and what may still run of it, the newest first; where nothing is left, `last` says what it was. */
interface Slot {
  source: AgentSource;
  options: AgentVersion[];
  last: AgentVersion | undefined;
  refused: Fault | undefined;
}

/** A source that takes another name may free or take one that others wait for; after so many times around it is left as it is. */
const roundsMax = 10;

/**
 * Decides which version of which source serves under which name. A source whose newest text is refused, or leads to agents
 * that are not there, falls back to the version that served before, if that one still can; of two sources with one name the
 * first that can run serves. Settling again what was settled changes nothing.
 */
export function settleSources(
  sources: readonly AgentSource[],
  before: Served,
  check: CheckTogether,
): Settled {
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

function settleOnce(sources: readonly AgentSource[], before: Served, check: CheckTogether): Settled {
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

/** Passes to older versions, or to none, until those that are left have no problem with each other. */
function refuseTogether(slots: readonly Slot[], check: CheckTogether): void {
  for (;;) {
    const serving = servingSlots(slots);
    const problems = Map.groupBy(checkServing(serving, check), ({ agent }) => agent);
    const blamed = [...problems].flatMap(([name, found]) => {
      const slot = serving.get(name);
      return slot === undefined ? [] : [{ slot, found: found.map(({ problem }) => problem) }];
    });
    if (blamed.length === 0) return;
    // Whoever has an older version to fall back to has changed, and may well be the cause of what the others have.
    const changed = blamed.filter(({ slot }) => slot.options.length > 1);
    for (const { slot, found } of changed.length > 0 ? changed : blamed) {
      slot.last = slot.options.shift();
      slot.refused ??= refusalOf(slot, found);
    }
  }
}

/** What was refused because of somebody who was refused later may run after all. */
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

/** By name, the first source of that name that can run. */
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

function refusalOf({ source, last }: Slot, problems: readonly Problem[]): Fault {
  return faultOf(invalidManifest(placeProblems(problems, last?.text ?? ""), source.file));
}

function entryOf(name: string, group: readonly Slot[], serving: Slot | undefined): CatalogEntry {
  const [first, second] = group;
  const shown = serving ?? first;
  const hidden = shown === first ? second : first;
  const version = shown?.options[0];
  const fault = faultOfSlot(shown) ?? faultOfSlot(hidden) ?? (hidden && twinFault(name, hidden));
  const { source, last } = shown ?? {};
  return {
    name,
    file: source?.file,
    text: source?.text,
    agent: version?.agent,
    manifest: version?.manifest ?? last?.manifest ?? source?.manifest,
    fault,
    sources: [shown, ...group.filter((slot) => slot !== shown)].flatMap((slot) => slot?.source.key ?? []),
  };
}

function faultOfSlot(slot: Slot | undefined): Fault | undefined {
  return slot?.source.fault ?? slot?.refused;
}

function twinFault(name: string, { source }: Slot): Fault {
  const who = source.file ?? "an agent that was sent";
  const message = `${who} has the name ${name} too; names must be unique.`;
  return { message, problems: [{ path: "metadata.name", message }] };
}

/** What serves now, and for sources that don't serve what they served with before. */
function servedBy(slots: readonly Slot[], serving: ReadonlyMap<string, Slot>, before: Served): Served {
  const served = new Map<string, AgentVersion>();
  for (const slot of slots) {
    const [version] = slot.options;
    const isServing = version !== undefined && serving.get(version.name) === slot;
    const kept = isServing ? version : before.get(slot.source.key);
    if (kept !== undefined) served.set(slot.source.key, kept);
  }
  return served;
}
