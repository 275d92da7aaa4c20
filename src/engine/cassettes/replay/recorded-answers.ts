import type {
  CassetteEntry,
  EntryOf,
  RequestKind,
} from "../../../contracts/daemon/cassettes/cassette-file.ts";
import type { RequestedBy } from "../../run-state/interceptor.ts";

/** The recorded answers, each of which is returned once. */
export class RecordedAnswers {
  readonly #entries: readonly CassetteEntry[];
  readonly #byKey: ReadonlyMap<string, CassetteEntry[]>;
  readonly #given = new Set<CassetteEntry>();

  constructor(entries: readonly CassetteEntry[]) {
    this.#entries = entries.toSorted((a, b) => a.seq - b.seq);
    this.#byKey = Map.groupBy(this.#entries, ({ key }) => key);
  }

  /** The answer to exactly this request. Equal requests get their answers in the order of the recording. */
  take<Kind extends RequestKind>(kind: Kind, key: string): EntryOf<Kind> | undefined {
    const entry = this.#byKey
      .get(key)
      ?.find((candidate) => candidate.kind === kind && !this.#given.has(candidate));
    return entry && this.#give(entry as EntryOf<Kind>);
  }

  hasLeft(kind: RequestKind, key: string): boolean {
    const entries = this.#byKey.get(key) ?? [];
    return entries.some((entry) => entry.kind === kind && !this.#given.has(entry));
  }

  /** The first unused answer of this kind for this agent, preferably for the same role and a similar request. */
  find<Kind extends RequestKind>(
    kind: Kind,
    { agent, role }: RequestedBy,
    isLike: (request: unknown) => boolean,
  ): EntryOf<Kind> | undefined {
    const left = this.left().filter((entry) => entry.kind === kind && entry.by.agent === agent);
    const nearest = left.find((entry) => entry.by.role === role && isLike(entry.request)) ?? left[0];
    return nearest as EntryOf<Kind> | undefined;
  }

  give(entry: CassetteEntry): void {
    this.#give(entry);
  }

  /** Unused answers, in the order of the recording. */
  left(): CassetteEntry[] {
    return this.#entries.filter((entry) => !this.#given.has(entry));
  }

  has(kind: RequestKind, agent: string): boolean {
    return this.#entries.some((entry) => entry.kind === kind && entry.by.agent === agent);
  }

  #give<Entry extends CassetteEntry>(entry: Entry): Entry {
    this.#given.add(entry);
    return entry;
  }
}
