import type { TObject } from "@sinclair/typebox";
import type { GuardrailRow } from "../agent/guardrails.ts";

/** The keys of a manifest for a built-in tool. */
export interface ToolRow {
  /** The keys of `config`. */
  options: TObject;
  description: string;
}

/**
 * Abilities of the running executable, by concept. A name that is not listed is refused, so that every manifest that loads can also run. A
 * concept that is left out is checked only by shape.
 */
export interface ManifestRegistries {
  /** Kinds of providers, and names of the entries of providers.yaml. */
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
  /** Values of a tool entry's `type`. */
  toolTypes?: readonly string[];
  channels?: ReadonlyMap<string, ToolRow>;
  /** Default for the keys that an agent's `orchestration` omits: `spec.defaults.orchestration` of runtime.yaml. */
  orchestrationDefaults?: { pattern?: string; max_iterations?: number; timeout_seconds?: number };
}
