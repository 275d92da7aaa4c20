import { checksumOf } from "../../../kit/json/canonical-json.ts";
import { ownerKeys } from "../mapping/owner-keys.ts";
import type { JsonObject } from "../mapping/section-table.ts";
import type { ReadyResource } from "./account.ts";

/*
 * Marks that say which spec a resource belongs to: labels at Google Cloud, tags at Amazon Web Services. `spec` is `<kind>_<name>` in lower
 * case, because labels have no slash. `part` is the rest of the resource's name after the spec's.
 */

export type Marks = Readonly<Record<string, string>>;

const managedBy = "argosy";
/** The resource that has the spec's own name. */
const mainPart = "main";
const valueMax = 63;

/** The mark of a spec, `<kind>/<name>`. Names too long for a label end with a hash, after a second `_`, which no name has. */
export function specMark(spec: string): string {
  const [kind = "", name = ""] = spec.split("/");
  const plain = `${kind.toLowerCase()}_${name}`;
  if (plain.length <= valueMax) return plain;
  return `${plain.slice(0, valueMax - 17)}_${checksumOf(name).slice(0, 16)}`;
}

function partOf(spec: string, name: string): string {
  const own = spec.slice(spec.indexOf("/") + 1);
  if (name === own) return mainPart;
  if (name.startsWith(`${own}-`)) return name.slice(own.length + 1);
  throw new Error(`resource ${name} isn't named after ${spec}`);
}

/** Hash of a config as it was sent, for a mark. */
export const configHash = (config: JsonObject): string => checksumOf(config).slice(0, valueMax);

export const marksFor = (spec: string, { name, config }: Pick<ReadyResource, "name" | "config">): Marks => ({
  "managed-by": managedBy,
  spec: specMark(spec),
  part: partOf(spec, name),
  "config-sha256": configHash(config),
});

/** In place of the hash while a change of several steps is under way, so that one that broke off is done again. */
export const unfinished = "unfinished";

export const asUnfinished = (marks: Marks): Marks => ({ ...marks, "config-sha256": unfinished });

/** Returns the resource's name if the marks say that it belongs to the spec. */
export function markedName(marks: Marks | undefined, spec: string): string | undefined {
  if (marks?.["managed-by"] !== managedBy || marks.spec !== specMark(spec)) return undefined;
  const own = spec.slice(spec.indexOf("/") + 1);
  const { part = "" } = marks;
  return part === mainPart ? own : `${own}-${part}`;
}

/** Labels or tags without the marks; undefined if there are no others. */
export function withoutMarks(labels: Marks | undefined): Record<string, string> | undefined {
  const others = Object.entries(labels ?? {}).filter(([key]) => !ownerKeys.has(key));
  return others.length > 0 ? Object.fromEntries(others) : undefined;
}

/** Labels to send: the wanted ones, the marks, and those set by others. `before` are the ones that were sent last. */
export function mergedLabels(
  current: Marks | undefined,
  before: unknown,
  wanted: unknown,
  marks: Marks,
): Record<string, string> {
  const sent = new Set(Object.keys((before ?? {}) as object));
  const foreign = Object.entries(current ?? {}).filter(([key]) => !sent.has(key) && !ownerKeys.has(key));
  return { ...Object.fromEntries(foreign), ...((wanted ?? {}) as Record<string, string>), ...marks };
}
