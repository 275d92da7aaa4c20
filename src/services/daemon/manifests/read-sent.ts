import type { ManifestBody } from "../../../http/bodies/manifest-body.ts";
import type { Call } from "../../../http/call.ts";
import type { AppError, Problem } from "../../../kit/app-error.ts";
import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import { refusedManifest } from "../../../manifest/fault.ts";
import { checkDocument, checkSentText, type ManifestKind } from "../../../manifest/schema/manifest-kind.ts";
import type { Sender } from "../../../manifest/senders/sender.ts";
import { writeYaml } from "../../../manifest/yaml/write-yaml.ts";
import { placeProblems } from "./manifest-fault.ts";
import { textFrom } from "./manifest-sender.ts";

/** A manifest received through the API, and its text in YAML. */
export interface Sent<Manifest> {
  manifest: Manifest;
  /** Content of the text. */
  document: unknown;
  /** Text as stored. If the sender is not the owner, its first line says so. */
  text: string;
  sender: Sender;
  /** Adds to problems found later their positions in the text. A body in JSON has none. */
  place(problems: readonly Problem[]): Problem[];
  /** Creates the error for problems found later, with their positions. */
  refuse(problems: readonly Problem[]): AppError;
}

/** Returns the sender of a request's manifest. */
export const senderIn = ({ isOwner }: Pick<Call, "isOwner">): Sender => (isOwner ? "owner" : "stranger");

/**
 * Checks a manifest sent by `sender`. Throws AppError `invalid_manifest` (400) with every problem, with positions in YAML. `vet` finds the
 * parts that this sender may not use.
 */
export async function readSent<Manifest>(
  kind: ManifestKind<Manifest>,
  body: ManifestBody,
  sender: Sender,
  vet: (manifest: Manifest, sender: Sender) => Problem[],
): Promise<Sent<Manifest>> {
  const isYaml = body.format === "yaml";
  const checked = isYaml ? await inPieces(checkSentText(kind, body.text)) : checkDocument(kind, body.value);
  if ("problems" in checked) throw refusedManifest(checked.problems);
  const { manifest, document } = checked;
  const text = isYaml ? body.text : await inPieces(writeYaml(document));
  const place = (problems: readonly Problem[]) =>
    isYaml ? placeProblems(problems, text) : problems.map(({ path, message }) => ({ path, message }));
  const refuse = (problems: readonly Problem[]) => refusedManifest(place(problems));
  const problems = vet(manifest, sender);
  if (problems.length > 0) throw refuse(problems);
  return { manifest, document, text: textFrom(text, sender), sender, place, refuse };
}
