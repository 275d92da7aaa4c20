import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { DoctorCheck } from "../../../contracts/daemon/system.ts";
import { toAppError } from "../../../kit/app-error.ts";
import { type Clock, sleep } from "../../../kit/clock.ts";
import { serialQueue } from "../../../kit/concurrency/serial-queue.ts";
import type { Logger } from "../../../kit/log.ts";
import { roundMaxMs, type Worker } from "../../../kit/worker.ts";
import { replaceFile } from "../../../storage/files/replace-file.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import { operatorTenant } from "../operator-tenant.ts";
import { type CopyStep, compareCopies } from "./compare-copies.ts";
import { digestOf, type SharedPlace } from "./shared-place.ts";
import {
  changeEntries,
  contentsOf,
  entriesSince,
  newestMax,
  type SharedEntry,
  type SharedFileStorage,
} from "./store.ts";

export interface SharedFilesParts {
  storage: SharedFileStorage;
  /** Texts are sealed: they may have secrets, and only nodes with the keys may change what runs. */
  sealer: Sealer;
  places: readonly SharedPlace[];
  dataFolder: string;
  node: string;
  clock: Clock;
  log: Logger;
  /** Called after copies of this node changed. */
  changed: () => Promise<void>;
}

/** How far a node's copies are. */
export interface SharedFilesState {
  /** The newest change that this node has seen. */
  revision: number;
  /** Paths whose copies differ from the shared ones, with the reason. */
  differing: ReadonlyMap<string, string>;
}

const everyMs = 500;
/** Entries of one transaction, or of one query. */
const batchMax = 50;

/**
 * Keeps the copies of this node equal to the entries that all nodes share in their database. A change of a copy becomes the shared one, and
 * each node takes those of the others. If two nodes changed the same entry, the first one counts; the other's copy is set aside.
 */
export class SharedFiles {
  readonly #parts: SharedFilesParts;
  readonly #inTurn = serialQueue();
  readonly #entries = new Map<string, SharedEntry>();
  /** Digests on which copy and entry agreed last, by path. */
  readonly #agreed: Map<string, string>;
  readonly #agreedFile: string;
  /** Paths of copies that this process has seen. */
  readonly #seen = new Set<string>();
  readonly #differing = new Map<string, string>();
  readonly #asideFolder: string;
  #revision = 0;

  constructor(parts: SharedFilesParts) {
    this.#parts = parts;
    this.#agreedFile = join(parts.dataFolder, "shared-files.json");
    this.#asideFolder = join(parts.dataFolder, "set-aside");
    this.#agreed = new Map(Object.entries(readAgreed(this.#agreedFile)));
  }

  get state(): SharedFilesState {
    return { revision: this.#revision, differing: new Map([...this.#asides(), ...this.#differing]) };
  }

  /** Deletes copies that were set aside, because the caller who made them knows. */
  dropAsides(paths: readonly string[]): void {
    for (const path of paths) rmSync(join(this.#asideFolder, path), { force: true });
  }

  /** Copies that were set aside. A person deletes them. */
  #asides(): [path: string, reason: string][] {
    if (!existsSync(this.#asideFolder)) return [];
    const files = readdirSync(this.#asideFolder, { recursive: true, withFileTypes: true });
    return files.flatMap((entry) => {
      if (!entry.isFile()) return [];
      const kept = join(entry.parentPath, entry.name);
      const path = relative(this.#asideFolder, kept);
      return [[path, `was replaced by another node's. Compare it with ${kept}, and delete that file`]];
    });
  }

  /** Compares all copies with the shared entries, and settles the differences. Returns the paths of copies that were set aside. */
  look(): Promise<readonly string[]> {
    return this.#inTurn(() => this.#look());
  }

  worker(): Worker {
    const { clock, log } = this.#parts;
    return {
      name: "shared-files",
      silenceMaxMs: roundMaxMs,
      run: async (signal, beat) => {
        let trouble: string | undefined;
        while (!signal.aborted) {
          try {
            await this.look();
            trouble = undefined;
            beat?.();
          } catch (thrown) {
            // What this node has keeps serving. The same error is logged once.
            const { code } = toAppError(thrown);
            if (trouble !== code) log.warn("shared_files.look_failed", { code, err: thrown });
            trouble = code;
          }
          await sleep(clock, everyMs, signal).catch(() => undefined);
        }
      },
    };
  }

  async check(): Promise<Omit<DoctorCheck, "name">> {
    const { differing, revision } = this.state;
    if (differing.size === 0) {
      return { status: "healthy", message: `${this.#entries.size} shared entries, at revision ${revision}.` };
    }
    return {
      status: "degraded",
      message: [...differing].map(([path, reason]) => `${path} ${reason}.`).join(" "),
      mend: "Correct these files on this node; `argosy mesh status` shows the others.",
      findings: [...differing].map(([path, reason]) => ({
        subject: path,
        message: `${path} ${reason}.`,
        mend: "",
      })),
    };
  }

  async #look(): Promise<readonly string[]> {
    await this.#refresh();
    const copies = new Map<string, string>();
    const before = JSON.stringify([...this.#differing]);
    this.#differing.clear();
    for (const place of this.#parts.places) {
      const { copies: digests, faults } = place.list();
      for (const [path, digest] of digests) copies.set(path, digest);
      for (const [path, reason] of faults) this.#differing.set(path, reason);
    }
    const steps = Map.groupBy(new Set([...copies.keys(), ...this.#entries.keys()]), (path) =>
      this.#stepOf(path, copies.get(path)),
    );
    for (const path of copies.keys()) this.#seen.add(path);
    const replaced = steps.get("replace") ?? [];
    const isAgreed = this.#agree(steps.get("same") ?? [], copies);
    const isTaken = await this.#take([...replaced, ...(steps.get("take") ?? [])], new Set(replaced));
    const isRemoved = this.#remove(steps.get("remove") ?? []);
    const isGiven = await this.#give(steps.get("give") ?? [], steps.get("withdraw") ?? []);
    if (isAgreed || isTaken || isRemoved || isGiven) this.#keep();
    if (before !== JSON.stringify([...this.#differing]) && this.#differing.size > 0)
      this.#parts.log.warn("shared_files.differ", Object.fromEntries(this.#differing));
    if (isTaken || isRemoved) await this.#parts.changed();
    return replaced;
  }

  async #refresh(): Promise<void> {
    let news: SharedEntry[];
    do {
      news = await entriesSince(this.#parts.storage, this.#revision);
      for (const entry of news) this.#entries.set(entry.path, entry);
      this.#revision = news.at(-1)?.revision ?? this.#revision;
    } while (news.length >= newestMax);
  }

  #stepOf(path: string, own: string | undefined): CopyStep {
    if (this.#differing.has(path) || this.#placeOf(path) === undefined) return "same";
    const shared = this.#entries.get(path);
    return compareCopies({ own, shared, agreed: this.#agreed.get(path), wasSeen: this.#seen.has(path) });
  }

  /** An entry that no place has comes from a later version, or is none of ours. */
  #placeOf = (path: string) => this.#parts.places.find((place) => place.has(path));

  #agree(paths: readonly string[], copies: ReadonlyMap<string, string>): boolean {
    let isNews = false;
    for (const path of paths) {
      const digest = copies.get(path);
      if (this.#agreed.get(path) === digest || this.#differing.has(path)) continue;
      isNews = true;
      if (digest === undefined) this.#agreed.delete(path);
      else this.#agreed.set(path, digest);
    }
    return isNews;
  }

  async #take(paths: readonly string[], replaced: ReadonlySet<string>): Promise<boolean> {
    const { storage, sealer, log } = this.#parts;
    let isTaken = false;
    for (let at = 0; at < paths.length; at += batchMax) {
      const batch = paths.slice(at, at + batchMax);
      const rows = await contentsOf(storage, batch);
      for (const path of batch) {
        const row = rows.get(path);
        const place = this.#placeOf(path);
        if (row === undefined || place === undefined) continue;
        try {
          const text = sealer.open(row.content, contextOf(path));
          if (digestOf(text) !== row.digest) throw new Error("The digest is that of another text.");
          if (replaced.has(path)) this.#putAside(path, place.read(path));
          place.write(path, text);
          this.#agreed.set(path, row.digest);
          this.#seen.add(path);
          isTaken = true;
          log.info("shared_files.taken", { path });
        } catch (thrown) {
          this.#differing.set(path, `differs: the shared text can't be taken (${reasonOf(thrown)})`);
        }
      }
    }
    return isTaken;
  }

  /** Keeps a copy that another node's change replaces. */
  #putAside(path: string, text: string): void {
    const kept = join(this.#asideFolder, path);
    mkdirSync(dirname(kept), { recursive: true, mode: 0o700 });
    replaceFile(kept, text, 0o600);
    this.#parts.log.warn("shared_files.set_aside", { path, kept });
  }

  #remove(paths: readonly string[]): boolean {
    for (const path of paths) {
      try {
        this.#placeOf(path)?.remove(path);
        this.#agreed.delete(path);
        this.#seen.delete(path);
        this.#parts.log.info("shared_files.removed", { path });
      } catch (thrown) {
        this.#differing.set(path, `was deleted elsewhere, and can't be deleted here (${reasonOf(thrown)})`);
      }
    }
    return paths.length > 0;
  }

  /** Makes copies the shared ones. Those whose entries changed in the meantime wait for the next look. */
  async #give(changed: readonly string[], gone: readonly string[]): Promise<boolean> {
    const { storage, sealer, node, log } = this.#parts;
    const paths = [
      ...changed.map((path) => ({ path, isDeleted: false })),
      ...gone.map((path) => ({ path, isDeleted: true })),
    ];
    for (let at = 0; at < paths.length; at += batchMax) {
      const changes = paths.slice(at, at + batchMax).map(({ path, isDeleted }) => {
        const entry = this.#entries.get(path);
        const text = isDeleted ? "" : (this.#placeOf(path)?.read(path) ?? "");
        return {
          path,
          since: entry?.revision,
          content: sealer.seal(text, contextOf(path)),
          // A deleted entry keeps the digest of its last text.
          digest: isDeleted ? (entry?.digest ?? "") : digestOf(text),
          isDeleted,
        };
      });
      await changeEntries(storage, node, changes);
      await this.#refresh();
      for (const { path, digest, isDeleted } of changes) {
        const entry = this.#entries.get(path);
        if (entry?.digest !== digest || entry.isDeleted !== isDeleted) continue;
        if (isDeleted) this.#agreed.delete(path);
        else this.#agreed.set(path, digest);
        log.info(isDeleted ? "shared_files.withdrawn" : "shared_files.given", { path });
      }
    }
    return paths.length > 0;
  }

  #keep(): void {
    const agreed = Object.fromEntries([...this.#agreed].sort(([a], [b]) => (a < b ? -1 : 1)));
    replaceFile(this.#agreedFile, `${JSON.stringify({ agreed })}\n`, 0o600);
  }
}

const contextOf = (path: string) => ({ purpose: "shared.file", tenant: operatorTenant, name: path });

function reasonOf(thrown: unknown): string {
  const { code } = thrown as { code?: unknown };
  return typeof code === "string" ? code : toAppError(thrown).code;
}

/** Without the file, copies that differ from the shared entries are set aside, which loses nothing. */
function readAgreed(path: string): Record<string, string> {
  if (!existsSync(path)) return {};
  try {
    return (JSON.parse(readFileSync(path, "utf8")) as { agreed: Record<string, string> }).agreed;
  } catch {
    return {};
  }
}
