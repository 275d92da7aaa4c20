import { anthropicProtocol } from "./anthropic/protocol.ts";
import { cohereProtocol } from "./cohere/protocol.ts";
import { ollamaKind } from "./ollama/ollama-kind.ts";
import { onnxKind } from "./onnx/onnx-kind.ts";
import {
  groqDialect,
  hostedDialect,
  llamaDialect,
  mistralDialect,
  plainDialect,
  textGenerationDialect,
} from "./openai/dialect.ts";
import { openAiKind } from "./openai/openai-kind.ts";
import { openAiParameters } from "./openai/protocol.ts";
import type { ProviderKind } from "./provider-kind.ts";
import { rehearsalKind } from "./rehearsal/rehearsal.ts";
import { httpKind } from "./wire/http-kind.ts";

/** Every kind of provider, in the order of the documentation. */
export const providerKinds: readonly ProviderKind[] = [
  openAiKind({
    name: "openai",
    aliases: ["openai_compat"],
    docs: "OpenAI, or any hosted service that speaks its Chat Completions protocol.",
    local: false,
    needsEndpoint: false,
    defaultEndpoint: "https://api.openai.com/v1",
    needsKey: true,
    defaultModel: "gpt-4o-mini",
    contextWindow: 128_000,
    dialect: hostedDialect,
  }),
  ollamaKind,
  openAiKind({
    name: "vllm",
    docs: "A vLLM server.",
    local: true,
    needsEndpoint: true,
    needsKey: false,
    parameters: [...openAiParameters, "top_k"],
    contextWindow: 8192,
    dialect: plainDialect,
  }),
  openAiKind({
    name: "llamacpp",
    docs: "A llama.cpp server (`llama-server`; `--jinja` for tool calls).",
    local: true,
    needsEndpoint: true,
    needsKey: false,
    parameters: [...openAiParameters, "top_k"],
    defaultModel: "default",
    contextWindow: 4096,
    dialect: llamaDialect,
  }),
  openAiKind({
    name: "hf_tgi",
    docs: "A Hugging Face text-generation-inference server.",
    local: true,
    needsEndpoint: true,
    needsKey: false,
    defaultModel: "tgi",
    contextWindow: 4096,
    dialect: textGenerationDialect,
  }),
  onnxKind,
  openAiKind({
    name: "groq",
    docs: "Groq's hosted models.",
    local: false,
    needsEndpoint: false,
    defaultEndpoint: "https://api.groq.com/openai/v1",
    needsKey: true,
    defaultModel: "llama-3.3-70b-versatile",
    contextWindow: 128_000,
    dialect: groqDialect,
  }),
  openAiKind({
    name: "mistral",
    docs: "Mistral's hosted models.",
    local: false,
    needsEndpoint: false,
    defaultEndpoint: "https://api.mistral.ai/v1",
    needsKey: true,
    defaultModel: "mistral-small-2506",
    contextWindow: 32_000,
    dialect: mistralDialect,
  }),
  httpKind({
    name: "anthropic",
    docs: "Anthropic's Claude models.",
    local: false,
    needsEndpoint: false,
    defaultEndpoint: "https://api.anthropic.com",
    needsKey: true,
    defaultModel: "claude-haiku-4-5",
    contextWindow: 200_000,
    protocolAt: () => anthropicProtocol,
  }),
  httpKind({
    name: "cohere",
    docs: "Cohere's hosted models.",
    local: false,
    needsEndpoint: false,
    defaultEndpoint: "https://api.cohere.com",
    needsKey: true,
    defaultModel: "command-r-08-2024",
    contextWindow: 128_000,
    protocolAt: () => cohereProtocol,
  }),
  rehearsalKind,
];

/**
 * The canonical name of a provider for any alias or spelling. Tariffs, keys, breakers, prices and metrics use it. An entry of
 * providers.yaml is a separate provider, whatever its type.
 */
export function canonicalProvider(name: string): string {
  const spelled = name.trim().toLowerCase();
  return findProviderKind(spelled)?.name ?? spelled;
}

/** Every alias and the name of its kind. */
export const providerAliases: ReadonlyMap<string, string> = new Map(
  providerKinds.flatMap(({ name, aliases }) => aliases.map((alias): [string, string] => [alias, name])),
);

/** The kind with that name or alias. */
export function findProviderKind(name: string): ProviderKind | undefined {
  return providerKinds.find((kind) => kind.name === name || kind.aliases.includes(name));
}

/** Every name and alias that `findProviderKind` accepts. */
export function providerNames(): string[] {
  return providerKinds.flatMap((kind) => [kind.name, ...kind.aliases]);
}
