import { stringify } from "yaml";
import type { ManifestBody } from "../../../http/manifest-body.ts";
import { AppError, type Problem } from "../../../kit/app-error.ts";
import { checkDocument, checkFile, type ManifestKind } from "../../../manifest/manifest-kind.ts";
import { invalidManifest } from "../../../manifest/problems.ts";
import { placeProblems } from "../agents/agent-version.ts";

/** A manifest that somebody sent, and its text in YAML. */
export interface Sent<Manifest> {
  manifest: Manifest;
  text: string;
  /** The refusal for problems that were found later: with their places when the text is the sender's own. */
  refuse(problems: readonly Problem[]): AppError;
}

/**
 * Checks a manifest that somebody sent; AppError `invalid_manifest` (400) with every problem, with places in YAML.
 * `reservedForFiles` finds what only the operator's files may say.
 */
export function readSent<Manifest>(
  kind: ManifestKind<Manifest>,
  body: ManifestBody,
  reservedForFiles: (manifest: Manifest) => Problem[],
): Sent<Manifest> {
  const isYaml = body.format === "yaml";
  const checked = isYaml ? checkFile(kind, body.text) : checkDocument(kind, body.value);
  if ("problems" in checked) throw refusal(checked.problems);
  const { manifest } = checked;
  const text = isYaml ? body.text : stringify(body.value, { lineWidth: 0 });
  const refuse = (problems: readonly Problem[]) =>
    refusal(
      isYaml ? placeProblems(problems, text) : problems.map(({ path, message }) => ({ path, message })),
    );
  const problems = reservedForFiles(manifest);
  if (problems.length > 0) throw refuse(problems);
  return { manifest, text, refuse };
}

function refusal(problems: readonly Problem[]): AppError {
  const { message, details } = invalidManifest(problems);
  return new AppError("invalid", "invalid_manifest", message, { details });
}
