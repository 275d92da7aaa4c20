import type { DiscoverySettings } from "../../engine/models/discover-models.ts";
import type { Config } from "../settings/config.ts";
import { keyVariables } from "../settings/secrets/tool-secrets.ts";

/** Returns the settings by which models are discovered. Keys that are read are masked in all output. */
export const discoverySettings = ({
  models,
  providers,
  runtime,
  variable,
  knownSecrets,
  programs,
}: Pick<
  Config,
  "models" | "providers" | "runtime" | "variable" | "knownSecrets" | "programs"
>): DiscoverySettings => ({
  models,
  providers,
  runtime,
  variable: keyVariables(variable, knownSecrets),
  refusal: programs.withholding,
});
