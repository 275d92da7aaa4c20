import { stringify } from "yaml";
import type { Call } from "../../../http/call.ts";
import type { ManifestBody } from "../../../http/manifest-body.ts";
import { AppError, type Problem } from "../../../kit/app-error.ts";
import { othersTurn } from "../../../kit/others-turn.ts";
import { checkDocument, checkFile, type ManifestKind } from "../../../manifest/manifest-kind.ts";
import { invalidManifest } from "../../../manifest/problems.ts";
import type { Sender } from "../../../manifest/sender.ts";
import { placeProblems } from "../agents/agent-version.ts";
import { textFrom } from "./stranger-mark.ts";

/** A manifest that somebody sent, and its text in YAML. */
export interface Sent<Manifest> {
  manifest: Manifest;
  /** As it is kept: a stranger's says so in its first line. */
  text: string;
  sender: Sender;
  /** The refusal for problems that were found later: with their places when the text is the sender's own. */
  refuse(problems: readonly Problem[]): AppError;
}

/** Returns who sent a request's manifest. */
export const senderIn = ({ isOwner }: Pick<Call, "isOwner">): Sender => (isOwner ? "owner" : "stranger");

/**
 * Checks a manifest that `sender` sent; AppError `invalid_manifest` (400) with every problem, with places in YAML. `vet` finds what
 * this sender may not say.
 */
export async function readSent<Manifest>(
  kind: ManifestKind<Manifest>,
  body: ManifestBody,
  sender: Sender,
  vet: (manifest: Manifest, sender: Sender) => Problem[],
): Promise<Sent<Manifest>> {
  const isYaml = body.format === "yaml";
  const checked = isYaml ? checkFile(kind, body.text) : checkDocument(kind, body.value);
  if ("problems" in checked) throw refusal(checked.problems);
  const { manifest } = checked;
  // Checking was a piece of work, and writing is another.
  if (!isYaml) await othersTurn();
  const text = isYaml ? body.text : stringify(body.value, { lineWidth: 0 });
  const refuse = (problems: readonly Problem[]) =>
    refusal(
      isYaml ? placeProblems(problems, text) : problems.map(({ path, message }) => ({ path, message })),
    );
  const problems = vet(manifest, sender);
  if (problems.length > 0) throw refuse(problems);
  return { manifest, text: textFrom(text, sender), sender, refuse };
}

function refusal(problems: readonly Problem[]): AppError {
  const { message, details } = invalidManifest(problems);
  return new AppError("invalid", "invalid_manifest", message, { details });
}
