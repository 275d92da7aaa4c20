import { type AppError, toAppError } from "../../../kit/app-error.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { canonicalJson } from "../../../kit/json/canonical-json.ts";
import type { ChunkingSettings } from "../../chunking/chunker.ts";
import type { CollectionKeyOf, DeadRows } from "../collections/collection-registry.ts";
import { obtainCollection, openHeld } from "../collections/open-collection.ts";
import type { RagPipeline } from "../rag-pipeline.ts";
import type { RagPorts } from "../rag-ports.ts";
import { removeDeadRows } from "../upkeep/remove-document.ts";
import { type Cut, cutDocument, requireSound } from "./cut-document.ts";
import type { CheckedDocument } from "./document-content.ts";
import { type CutDocument, type Ingest, type WriteTarget, writeDocuments } from "./write-documents.ts";

/**
 * Adds documents to a collection, each atomically; reported documents are stored durably. A document with an existing id is replaced; an
 * unchanged one is skipped, so that an interrupted ingest can be repeated. If two have the same id, the later one is kept.
 */
export async function ingestDocuments(
  ports: RagPorts,
  pipeline: RagPipeline,
  documents: readonly CheckedDocument[],
  ingest: Ingest,
): Promise<void> {
  const { newId } = ports;
  const { tenant, collection: name, signal, quota } = ingest;
  requireSound(ingest.chunking ?? pipeline.chunking);
  const collection = await obtainCollection(ports, pipeline, { tenant, name, newId, signal, quota });
  const rows = await openHeld(ports, pipeline, collection);
  const run = new IngestRun(ports, { pipeline, collection, rows }, ingest);
  try {
    for (const [index, document] of documents.entries()) await run.add(index, document);
    await run.flush();
  } finally {
    await run.end();
  }
}

/** Maximum chunks of documents that become current together, unless a single document has more. */
const chunksTogether = 512;

/** Old rows are removed for this many documents at once; until then searches skip them. */
const deadTogether = 256;

/** Documents looked up without a pause: an in-process database answers without yielding to other work. */
const documentsPerTurn = 64;

/** A document and its index in the list. */
interface Placed extends CutDocument {
  index: number;
}

/** One ingest. It embeds and writes small documents together, because every write to a store has a cost. */
class IngestRun {
  readonly #ports: RagPorts;
  readonly #target: WriteTarget;
  readonly #ingest: Ingest;
  readonly #key: CollectionKeyOf;
  readonly #chunking: ChunkingSettings;
  readonly #how: string;
  readonly #together = new Map<string, Placed>();
  #dead: DeadRows[] = [];
  #chunksWaiting = 0;
  /** Number of consecutive documents that were refused. */
  #failures = 0;

  constructor(ports: RagPorts, target: WriteTarget, ingest: Ingest) {
    this.#ports = ports;
    this.#target = target;
    this.#ingest = ingest;
    this.#key = { tenant: target.collection.tenant, collection: target.collection.id };
    this.#chunking = ingest.chunking ?? target.pipeline.chunking;
    this.#how = canonicalJson(this.#chunking);
  }

  /** Adds a document; it may be written together with later ones. */
  async add(index: number, document: CheckedDocument): Promise<void> {
    if (index % documentsPerTurn === documentsPerTurn - 1) await othersTurn();
    this.#ingest.signal.throwIfAborted();
    if (this.#together.has(document.id)) await this.flush();
    const known = await this.#ports.registry.findDocument(this.#key, document.id);
    if (known?.contentHash === document.contentHash && known.chunking === this.#how) {
      const { id, chunks, characters, losses } = known;
      this.#ingest.taken?.(index, { id, status: "unchanged", chunks, characters, losses: losses ?? [] });
      return;
    }
    const cut = await this.#cut(index, document);
    if (cut === undefined) return;
    const count = cut.chunks.length;
    if (this.#chunksWaiting + count > chunksTogether) await this.flush();
    this.#together.set(document.id, { index, document, ...cut, chunking: this.#how });
    this.#chunksWaiting += count;
    if (this.#chunksWaiting >= chunksTogether) await this.flush();
  }

  /** Writes the waiting documents. */
  async flush(): Promise<void> {
    const placed = [...this.#together.values()];
    this.#together.clear();
    this.#chunksWaiting = 0;
    const [first] = placed;
    if (first === undefined) return;
    try {
      await this.#write(placed);
    } catch (thrown) {
      // Only one of them may be at fault, so each is written separately.
      const isShared = placed.length > 1 && !this.#ingest.signal.aborted;
      if (!isShared || !this.#isOfDocument(toAppError(thrown))) return this.#refuse(first, thrown);
      for (const one of placed) await this.#write([one]).catch((reason) => this.#refuse(one, reason));
    }
  }

  /** Removes replaced rows; must be called however the ingest ended. */
  async end(): Promise<void> {
    await this.#bury();
  }

  async #cut(index: number, document: CheckedDocument): Promise<Cut | undefined> {
    const { pipeline } = this.#target;
    try {
      return await cutDocument(document, this.#chunking, pipeline, this.#ingest.signal);
    } catch (thrown) {
      this.#refuse({ index, document }, thrown);
      return undefined;
    }
  }

  async #write(placed: readonly Placed[]): Promise<void> {
    const { outcomes, dead } = await writeDocuments(this.#ports, this.#target, placed, this.#ingest);
    this.#failures = 0;
    for (const { index, document, chunks, characters } of placed) {
      const status = outcomes.get(document.id) ?? "created";
      const { id, losses = [] } = document;
      this.#ingest.taken?.(index, { id, status, chunks: chunks.length, characters, losses });
    }
    this.#dead.push(...dead);
    if (this.#dead.length >= deadTogether) await this.#bury();
  }

  /** Reports a refused document, or throws if that ends the ingest. */
  #refuse({ index, document }: Pick<Placed, "index" | "document">, thrown: unknown): void {
    const error = toAppError(thrown);
    this.#failures++;
    const { signal, refused } = this.#ingest;
    if (refused === undefined || signal.aborted || !this.#isOfDocument(error)) throw thrown;
    refused(index, document.id, error);
  }

  /**
   * Returns true if another document may succeed: the error is the document's own, or an embedder error that may depend on its text. After
   * several consecutive embedder errors, the embedder is at fault.
   */
  #isOfDocument({ kind, code }: AppError): boolean {
    if (code === "embedder_failed") return this.#failures < 3;
    return kind === "invalid" || kind === "unprocessable" || kind === "too_large";
  }

  /** Failures here are left to the sweep, because the new documents are already current. */
  async #bury(): Promise<void> {
    const dead = this.#dead;
    this.#dead = [];
    const { registry, log } = this.#ports;
    const { rows, collection } = this.#target;
    await removeDeadRows(registry, this.#key, rows, dead).catch((thrown) =>
      log.warn("rag.leftovers", { collection: collection.name, err: thrown }),
    );
  }
}
