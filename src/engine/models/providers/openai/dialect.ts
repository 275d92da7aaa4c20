import {
  grammarFormat,
  jsonSchemaFormat,
  looseJsonSchemaFormat,
  type ResponseFormat,
} from "./response-format.ts";

/** In what the servers that speak Chat Completions differ. */
export interface Dialect {
  /** The field that bounds the answer: OpenAI's newer models refuse `max_tokens`, most other servers know only that. */
  maxTokensField: "max_tokens" | "max_completion_tokens";
  /** Whether a stream must be asked for its usage (`stream_options`); where it comes unasked the field may be refused. */
  asksForUsage: boolean;
  /** Whether `tool_choice: "none"` is obeyed; where it isn't, forbidding tools means leaving them out. */
  obeysToolChoice: boolean;
  /** Rewrites the id of a tool call where only some forms are taken; the same id always gives the same. */
  callId?: (id: string) => string;
  /** How an answer of a shape is asked for. */
  responseFormat: ResponseFormat;
  /** Whether a streamed answer can be held to a shape. */
  shapesStreams: boolean;
}

export const plainDialect: Dialect = {
  maxTokensField: "max_tokens",
  asksForUsage: true,
  obeysToolChoice: true,
  responseFormat: jsonSchemaFormat,
  shapesStreams: true,
};

/** OpenAI's own service, as opposed to the many servers that speak its protocol. */
export const openAiDialect: Dialect = { ...plainDialect, maxTokensField: "max_completion_tokens" };

/** Ollama passes over `tool_choice` (docs/openai.md of its repository lists what it reads). */
export const ollamaDialect: Dialect = { ...plainDialect, obeysToolChoice: false };

/** Mistral refuses fields it doesn't know, `stream_options` among them, and call ids that aren't nine letters or digits. */
export const mistralDialect: Dialect = { ...plainDialect, asksForUsage: false, callId: nineAlphanumerics };

/** Groq holds no stream to a shape, and few of its models strictly (console.groq.com, "Structured Outputs"). */
export const groqDialect: Dialect = {
  ...plainDialect,
  responseFormat: looseJsonSchemaFormat,
  shapesStreams: false,
};

export const textGenerationDialect: Dialect = { ...plainDialect, responseFormat: grammarFormat };

function nineAlphanumerics(id: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return id;
  return Bun.hash(id).toString(36).padStart(9, "0").slice(-9);
}
