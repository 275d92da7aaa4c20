import { AppError, type Problem } from "../../../kit/app-error.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { canonicalJson } from "../../../kit/json/canonical-json.ts";
import type { DocumentLoss, TextPlace } from "../../files/document-file.ts";

/** A document as received. */
export interface GivenDocument {
  id?: string | undefined;
  text: string;
  metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Pages and sections, and what was lost when the text was read from a file. */
  places?: readonly TextPlace[] | undefined;
  losses?: readonly DocumentLoss[] | undefined;
}

/** A validated document. */
export interface CheckedDocument {
  id: string;
  text: string;
  metadata: Record<string, unknown>;
  contentHash: string;
  places?: readonly TextPlace[];
  losses?: readonly DocumentLoss[];
}

/** Maximum length of the metadata as JSON, because each passage of the document has a copy. */
const metadataLengthMax = 16 * 1024;

/** Returns true if no text in the value has a NUL or a lone surrogate. */
function isStorable(value: unknown): boolean {
  if (typeof value === "string") return !value.includes("\0") && value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, member]) => isStorable(key) && isStorable(member));
}

/** Problems of a document; their paths begin with `path`. */
export function documentProblems({ text, metadata }: GivenDocument, path: string): Problem[] {
  const problems: Problem[] = [];
  const at = (key: string) => (path === "" ? key : `${path}.${key}`);
  if (!hasVisibleText(text))
    problems.push({ path: at("text"), message: "says nothing: it is empty or blank" });
  else if (!isStorable(text))
    problems.push({ path: at("text"), message: "holds a NUL or an incomplete Unicode character" });
  if (JSON.stringify(metadata ?? {}).length > metadataLengthMax)
    problems.push({ path: at("metadata"), message: "must be at most 16 KiB as JSON" });
  else if (!isStorable(metadata))
    problems.push({ path: at("metadata"), message: "holds a NUL or an incomplete Unicode character" });
  return problems;
}

/** Validates documents and adds missing ids. Throws AppError `invalid_request` (400) with the problems of all of them. */
export async function checkDocuments(
  documents: readonly GivenDocument[],
  path = "documents",
): Promise<CheckedDocument[]> {
  const problems: Problem[] = [];
  for (const [index, document] of documents.entries()) {
    problems.push(...documentProblems(document, `${path}[${index}]`));
    if (index % documentsPerTurn === 0) await othersTurn();
    if (problems.length >= problemsMax) break;
  }
  if (problems.length > 0) throw refusal(problems);
  const checked: CheckedDocument[] = [];
  for (const document of documents) {
    checked.push(await withId(document));
    if (checked.length % documentsPerTurn === 0) await othersTurn();
  }
  return checked;
}

/** `checkDocuments` for one document. */
export async function checkDocument(document: GivenDocument): Promise<CheckedDocument> {
  const problems = documentProblems(document, "");
  if (problems.length > 0) throw refusal(problems);
  return withId(document);
}

const problemsMax = 20;

/** Documents checked without a pause: a few milliseconds. */
const documentsPerTurn = 256;

async function withId(document: GivenDocument): Promise<CheckedDocument> {
  const { id, text, metadata = {}, places = [], losses = [] } = document;
  const hash = await contentHash(text, metadata, [...places, ...losses]);
  return {
    id: id ?? hash.slice(0, 32),
    text,
    metadata: { ...metadata },
    contentHash: hash,
    ...(places.length > 0 && { places }),
    ...(losses.length > 0 && { losses }),
  };
}

function refusal(problems: Problem[]): AppError {
  const [first] = problems;
  const message = `${first?.path === "" ? "The document" : first?.path} ${first?.message}.`;
  return new AppError("invalid", "invalid_request", message, { details: { problems } });
}

/** Returns true if a text has visible content: more than white space, control and ignorable characters. */
export function hasVisibleText(text: string): boolean {
  return /[^\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(text);
}

/** Hashing more than this at once would block other work. */
const sliceLength = 1024 * 1024;

/** Hash of a document's content: SHA-256 in hex, independent of the order of metadata keys. */
export async function contentHash(
  text: string,
  metadata: Readonly<Record<string, unknown>>,
  reading: readonly (TextPlace | DocumentLoss)[] = [],
): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  // A document without them has the hash of earlier versions.
  if (reading.length > 0) hasher.update(`${JSON.stringify(reading)} `);
  hasher.update(`${text.length} ${canonicalJson(metadata)} `);
  for (let from = 0; from < text.length; ) {
    // A surrogate pair is one character in UTF-8.
    const cut = from + sliceLength;
    const to = isHighSurrogate(text.charCodeAt(cut - 1)) ? cut + 1 : cut;
    hasher.update(text.slice(from, to));
    from = to;
    if (from < text.length) await othersTurn();
  }
  return hasher.digest("hex");
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
