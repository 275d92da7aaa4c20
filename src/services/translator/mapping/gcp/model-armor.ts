import type { AgentManifest } from "../../../../manifest/agent/agent.ts";
import type { JsonObject } from "../section-table.ts";

export const armorType = "modelarmor.template";

const isPersonalData = ({ type }: { type: string }) => type === "pii_detection" || type === "pii_redaction";

/** The sides of a conversation on which the manifest looks for personal data. */
export const screenedSides = ({ spec: { guardrails } }: AgentManifest) => ({
  input: guardrails.input.some(isPersonalData),
  output: guardrails.output.some(isPersonalData),
});

export const armorName = ({ metadata }: AgentManifest) => `${metadata.name}-model-armor`;

/** Sets the filter for sensitive data, and labels that say which sides the engine screens with the template. */
export function armorConfig(config: JsonObject, manifest: AgentManifest): void {
  const { input, output } = screenedSides(manifest);
  config.labels = { "screens-input": String(input), "screens-output": String(output) };
  config.filter_config = { sdp_settings: { basic_config: { filter_enforcement: "ENABLED" } } };
}
