import type { RunOverride } from "../../../../contracts/daemon/runs/run-override.ts";
import type { Path } from "../../../../manifest/fault.ts";
import { changeManifest } from "../../../builder/manifest/change-manifest.ts";

/** Place of each overridden value in an agent's manifest. */
const paths = {
  provider: ["spec", "model", "primary", "provider"],
  model: ["spec", "model", "primary", "model"],
  temperature: ["spec", "model", "primary", "parameters", "temperature"],
  max_tokens: ["spec", "model", "primary", "parameters", "max_tokens"],
  system_prompt: ["spec", "prompts", "system"],
} as const satisfies Record<string, Path>;

/** Returns a manifest with the values of an override. Comments, order and everything else stay. */
export function applyOverride(manifest: string, override: RunOverride): string {
  let text = manifest;
  for (const [key, path] of Object.entries(paths)) {
    const value = override[key as keyof typeof paths];
    if (value !== undefined) text = changeManifest(text, path, value);
  }
  return text;
}
