import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { workspaceOf } from "../compose/load-config.ts";
import type { ConfigFlags } from "../compose/settings/config.ts";
import { builtRegistries } from "../engine/agents/manifest-registries.ts";
import { canonicalProvider, providerNames } from "../engine/models/providers/registry.ts";
import { AppError } from "../kit/app-error.ts";
import { atOnce } from "../kit/concurrency/others-turn.ts";
import { agentKind } from "../manifest/agent/agent-kind.ts";
import { providersFileKind } from "../manifest/files/providers-file.ts";
import { runtimeFileKind } from "../manifest/files/runtime-file.ts";
import { nameOfAppFile, readForeignApp } from "../manifest/foreign/foreign-app.ts";
import {
  foreignKind,
  type RewrittenKind,
  type RewrittenManifest,
  rewriteManifest,
  rewrittenKinds,
} from "../manifest/foreign/rewrite-manifest.ts";
import { ragPipelineKind } from "../manifest/rag-pipeline.ts";
import type { ManifestKind } from "../manifest/schema/manifest-kind.ts";
import { writeYaml } from "../manifest/yaml/write-yaml.ts";
import { ragRegistries } from "../retrieval/rag/rag-registries.ts";
import { kindOfName } from "./manifest-files.ts";

/** A file rewritten for Argosy; `written` is true if the file itself was replaced. */
export interface ImportedManifest extends RewrittenManifest {
  kind: RewrittenKind;
  written: boolean;
}

/** Rewrites the file at `path`. With `write`, replaces the file if anything changed. */
export function importManifest(
  flags: Pick<ConfigFlags, "workspace">,
  path: string,
  { write }: { write: boolean },
): ImportedManifest {
  const original = readText(path);
  const app = readForeignApp(original, nameOfAppFile(path));
  if (app !== undefined && write)
    throw new AppError(
      "invalid",
      "not_rewritable",
      `${path} is of another program, and is not overwritten.`,
      {
        details: { hint: "Leave out --write, and save what is printed as agents/<name>.agent.yaml." },
      },
    );
  const text = app === undefined ? original : atOnce(writeYaml(app.document));
  const named = app === undefined ? kindOfName(path) : "agent";
  const kind =
    rewrittenKinds.find((each) => each === named) ?? (named === undefined ? foreignKind(text) : undefined);
  if (kind === undefined && named !== undefined)
    throw new AppError(
      "invalid",
      "not_importable",
      `${path} is a file of kind ${named}, which is not rewritten.`,
      {
        details: { hint: `These kinds are: ${rewrittenKinds.join(", ")}.` },
      },
    );
  const rewritten = rewriteManifest(text, {
    kind: kind ?? "agent",
    schema: schemaOf(kind ?? "agent"),
    variables: anyVariable(workspaceOf(flags).variable),
  });
  const written = write && rewritten.text !== text;
  if (written) replaceFile(path, rewritten.text);
  return {
    ...rewritten,
    changes: [...(app?.changes ?? []), ...rewritten.changes],
    leftOut: [...(app?.leftOut ?? []), ...rewritten.leftOut],
    kind: kind ?? "agent",
    written,
  };
}

/** Variables that are not set yet are not a fault of the file. */
const anyVariable = (variable: (name: string) => string | undefined) => (name: string) =>
  variable(name) ?? "unset";

/** Checks only the shape of provider names, because another file of the workspace may define them. */
function schemaOf(kind: RewrittenKind): ManifestKind<unknown> {
  const { providers: _, ...registries } = builtRegistries();
  const kinds: Readonly<Record<RewrittenKind, unknown>> = {
    agent: agentKind(registries),
    "rag-pipeline": ragPipelineKind(ragRegistries),
    providers: providersFileKind({ types: providerNames(), canonical: canonicalProvider }),
    runtime: runtimeFileKind,
  };
  return kinds[kind] as ManifestKind<unknown>;
}

function readText(path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (thrown) {
    const why = thrown instanceof TypeError ? "is not valid UTF-8" : "can't be read";
    throw new AppError("invalid", "unreadable_file", `${path} ${why}.`, { cause: thrown });
  }
}

/** Replaces a file completely or not at all. */
function replaceFile(path: string, text: string): void {
  const beside = `${path}.argosy-import`;
  try {
    writeFileSync(beside, text, { mode: statSync(path).mode });
    renameSync(beside, path);
  } catch (thrown) {
    throw new AppError("invalid", "unwritable_file", `${path} can't be written.`, { cause: thrown });
  }
}
