import type { AgentManifest } from "../../../../manifest/agent/agent.ts";
import type { GuardrailEntry } from "../../../../manifest/agent/guardrails.ts";
import type { JsonObject } from "../section-table.ts";
import { shortName } from "./bedrock-names.ts";

/*
 * A guardrail of Amazon Bedrock (CreateGuardrail). One guardrail screens both sides; what a manifest checks on one side only is switched
 * off on the other.
 */

export const guardrailType = "bedrock.guardrail";

/** Guardrails that Bedrock has a policy for. */
const covered = new Set([
  "pii_detection",
  "pii_redaction",
  "topic_filter",
  "content_filter",
  "prompt_injection",
]);

export const needsGuardrail = ({ spec: { guardrails } }: AgentManifest): boolean =>
  [...guardrails.input, ...guardrails.output].some(isCovered);

/** True if an entry becomes at least one rule: Bedrock refuses a guardrail without any. */
function isCovered(entry: GuardrailEntry): boolean {
  if (!covered.has(entry.type)) return false;
  if (entry.type === "content_filter")
    return wordsOf([entry]).length > 0 || textsOf([entry], "categories").length > 0;
  if (entry.type === "topic_filter") return textsOf([entry], "topics").length > 0;
  return !entry.type.startsWith("pii_") || piiTypesOf([entry]).length > 0;
}

export const guardrailName = ({ metadata }: AgentManifest): string => `${metadata.name}-guardrail`;

const piiTypes: Readonly<Record<string, string>> = {
  email: "EMAIL",
  phone: "PHONE",
  ssn: "US_SOCIAL_SECURITY_NUMBER",
  credit_card: "CREDIT_DEBIT_CARD_NUMBER",
};

/** The entries of a type on each side. */
function sidesOf({ spec: { guardrails } }: AgentManifest, types: readonly string[]) {
  const find = (entries: readonly GuardrailEntry[]) => entries.filter(({ type }) => types.includes(type));
  return { input: find(guardrails.input), output: find(guardrails.output) };
}

const textsOf = (entries: readonly GuardrailEntry[], option: string): string[] => [
  ...new Set(entries.flatMap((entry) => (Array.isArray(entry[option]) ? (entry[option] as string[]) : []))),
];

/** Bedrock's types for the entities that are named; for none, all of them. */
function piiTypesOf(entries: readonly GuardrailEntry[]): string[] {
  const named = textsOf(entries, "entities");
  return (named.length > 0 ? named : Object.keys(piiTypes)).flatMap((entity) => piiTypes[entity] ?? []);
}

export function piiPolicy(config: JsonObject, manifest: AgentManifest): void {
  const { input, output } = sidesOf(manifest, ["pii_detection", "pii_redaction"]);
  const all = [...input, ...output];
  const isBlocked = (some: readonly GuardrailEntry[]) => some.some(({ action }) => action === "block");
  const actionOf = (some: readonly GuardrailEntry[]) => (isBlocked(some) ? "BLOCK" : "ANONYMIZE");
  const piiEntitiesConfig = piiTypesOf(all).map((type) => ({
    type,
    action: actionOf(all),
    inputAction: actionOf(input),
    outputAction: actionOf(output),
    inputEnabled: input.length > 0,
    outputEnabled: output.length > 0,
  }));
  if (piiEntitiesConfig.length > 0) config.sensitiveInformationPolicyConfig = { piiEntitiesConfig };
}

export function topicPolicy(config: JsonObject, manifest: AgentManifest): void {
  const { input, output } = sidesOf(manifest, ["topic_filter"]);
  config.topicPolicyConfig = {
    topicsConfig: textsOf([...input, ...output], "topics").map((topic) => ({
      // Names have 1 to 100 of these characters.
      name: topic.replaceAll(/[^0-9a-zA-Z _!?.-]/g, "-").slice(0, 100),
      definition: `Anything about ${topic}.`.slice(0, 200),
      type: "DENY",
      inputEnabled: input.length > 0,
      outputEnabled: output.length > 0,
    })),
  };
}

/** Longest word or phrase of a word policy, in characters. */
const phraseMax = 100;

const wordsOf = (entries: readonly GuardrailEntry[]): string[] =>
  textsOf(entries, "keywords").filter((text) => text.length <= phraseMax);

export function wordPolicy(config: JsonObject, manifest: AgentManifest): void {
  const { input, output } = sidesOf(manifest, ["content_filter"]);
  const all = [...input, ...output];
  const inputEnabled = input.length > 0;
  const outputEnabled = output.length > 0;
  const words = wordsOf(all);
  if (words.length > 0)
    config.wordPolicyConfig = { wordsConfig: words.map((text) => ({ text, inputEnabled, outputEnabled })) };
  if (textsOf(all, "categories").length > 0) {
    const strength = (isEnabled: boolean) => (isEnabled ? "HIGH" : "NONE");
    addFilters(
      config,
      ["HATE", "INSULTS", "SEXUAL", "VIOLENCE", "MISCONDUCT"].map((type) => ({
        type,
        inputStrength: strength(inputEnabled),
        outputStrength: strength(outputEnabled),
      })),
    );
  }
}

export function promptAttackFilter(config: JsonObject): void {
  addFilters(config, [{ type: "PROMPT_ATTACK", inputStrength: "HIGH", outputStrength: "NONE" }]);
}

function addFilters(config: JsonObject, filters: readonly JsonObject[]): void {
  const { filtersConfig = [] } = (config.contentPolicyConfig ?? {}) as { filtersConfig?: JsonObject[] };
  config.contentPolicyConfig = { filtersConfig: [...filtersConfig, ...filters] };
}

/** The body without policies. */
export const emptyGuardrail = (manifest: AgentManifest): JsonObject => ({
  name: shortName(guardrailName(manifest), 50),
  blockedInputMessaging: "This message can't be answered.",
  blockedOutputsMessaging: "The answer was withheld.",
});
