import type { TObject } from "@sinclair/typebox";
import type { GuardrailAction, GuardrailStage } from "./guardrails.ts";

/** What a manifest may say about one kind of guardrail. */
export interface GuardrailRow {
  stages: readonly GuardrailStage[];
  /** What it can do with a match; the first is the default. */
  actions: readonly [GuardrailAction, ...GuardrailAction[]];
  /** Its options, which stand flat beside `type` and `action`. */
  options: TObject;
  description: string;
}

/** What a manifest may say about a tool that is built in. */
export interface ToolRow {
  /** The keys of `config`. */
  options: TObject;
  description: string;
}

/**
 * What the running executable can honour, per concept. A name that is not listed is refused, so that what loads also runs.
 * A concept that is left out is checked by shape alone.
 */
export interface ManifestRegistries {
  /** Kinds of providers and the names of the entries of providers.yaml. */
  providers?: readonly string[];
  patterns?: readonly string[];
  memoryStrategies?: readonly string[];
  conversationalBackends?: readonly string[];
  semanticBackends?: readonly string[];
  episodicBackends?: readonly string[];
  embedders?: readonly string[];
  guardrails?: ReadonlyMap<string, GuardrailRow>;
  builtinTools?: ReadonlyMap<string, ToolRow>;
  internalTools?: ReadonlyMap<string, ToolRow>;
  /** Values of `type` that a tool entry may have. */
  toolTypes?: readonly string[];
  channels?: ReadonlyMap<string, ToolRow>;
  /** What an agent's `orchestration` is where it says nothing: `spec.defaults.orchestration` of runtime.yaml. */
  orchestrationDefaults?: { pattern?: string; max_iterations?: number; timeout_seconds?: number };
}
