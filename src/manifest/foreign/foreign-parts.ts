import { dotted, type Path } from "../fault.ts";
import type { ForeignDocument } from "./foreign-document.ts";

/** Moves each existing value from its first path to its second. */
export function moveAll(file: ForeignDocument, places: readonly (readonly [from: Path, to: Path])[]): void {
  for (const [from, to] of places) file.move(from, to);
}

const samplingKeys = [
  "temperature",
  "top_p",
  "top_k",
  "max_tokens",
  "frequency_penalty",
  "presence_penalty",
  "stop",
];

/** Providers by patterns of model names, for files that name no provider. */
const vendors: readonly (readonly [RegExp, string])[] = [
  [/^(gpt-|o\d|chatgpt)/, "openai"],
  [/^claude/, "anthropic"],
  [/^command/, "cohere"],
];

/** Parses `openai:gpt-4o`, `openai/gpt-4o` or `gpt-4o` to a model block. A name of no known vendor counts as Ollama's. */
export function modelOf(written: string): { provider: string; model: string } {
  const [, provider, model] = /^([a-z][a-z0-9_-]*)(?:\/|:(?!\d))(.+)$/.exec(written) ?? [];
  const [, vendor = "ollama"] = vendors.find(([pattern]) => pattern.test(written)) ?? [];
  if (provider === undefined || model === undefined) return { provider: vendor, model: written };
  // The part after the colon of `llama3.2:latest` is a tag.
  return /^[a-z]+$/.test(provider) ? { provider, model } : { provider: vendor, model: written };
}

/** Reads the models of an agent under any known name. */
export function readModels(file: ForeignDocument): void {
  const spec = ["spec"];
  const model = [...spec, "model"];
  const primary = [...model, "primary"];
  moveAll(
    file,
    ["llm", "llm_config", "language_model", "model_config"].map((key) => [[...spec, key], model] as const),
  );
  const written = file.value(model);
  if (typeof written === "string") {
    const provider = file.value([...spec, "provider"]);
    const block = typeof provider === "string" ? { provider, model: written } : modelOf(written);
    file.replace(model, { primary: block });
    file.discard([...spec, "provider"]);
  }
  if (!file.has(primary)) {
    const own = ["candidates", "routing", "roles", "fallback", "fallbacks", "strategy"];
    for (const key of file.keys(model).filter((each) => !own.includes(each)))
      file.move([...model, key], [...primary, key]);
  }
  readCandidates(file, model);
  file.move([...model, "strategy"], [...model, "routing", "strategy"]);
  for (const key of ["api_key_env", "api_key", "base_url", "endpoint", "provider"])
    file.move([...spec, key], [...primary, key]);
  readBlock(file, primary);
  readBlock(file, [...model, "fallback"]);
  readBlocks(file, [...model, "fallbacks"]);
  for (const role of file.keys([...model, "roles"]))
    readBlocks(file, [...model, "roles", role, "candidates"]);
  for (const key of [...samplingKeys, "max_output_tokens"]) {
    const to = [...primary, "parameters", key === "max_output_tokens" ? "max_tokens" : key];
    for (const from of [
      [...spec, key],
      [...model, key],
      [...spec, "parameters", key],
    ]) {
      if (!file.has(from)) continue;
      if (file.has(primary)) file.move(from, to);
      else file.leaveOut(from, "there is no model that it could belong to");
    }
  }
  file.prune([...spec, "parameters"]);
}

/** Converts a list of candidates to the primary model and its fallbacks. */
function readCandidates(file: ForeignDocument, model: Path): void {
  const list = file.value([...model, "candidates"]);
  if (!Array.isArray(list) || list.length === 0 || file.has([...model, "primary"])) return;
  readBlocks(file, [...model, "candidates"]);
  const [first, ...others] = file.value([...model, "candidates"]) as unknown[];
  file.replace([...model, "primary"], first, "is the first of `spec.model.candidates`");
  if (others.length > 0)
    file.replace([...model, "fallbacks"], others, "are the other `spec.model.candidates`");
  file.discard([...model, "candidates"]);
}

export function readBlocks(file: ForeignDocument, list: Path): void {
  for (let index = 0; index < file.entries(list); index++) readBlock(file, [...list, index]);
}

/** Reads one model at a provider. */
export function readBlock(file: ForeignDocument, block: Path): void {
  const short = file.value(block);
  if (typeof short === "string") {
    file.replace(block, modelOf(short));
    return;
  }
  const places: readonly (readonly [string, string])[] = [
    ["source", "provider"],
    ["vendor", "provider"],
    ["name", "model"],
    ["id", "model"],
    ["model_name", "model"],
    ["base_url", "endpoint"],
    ["api_base", "endpoint"],
    ["url", "endpoint"],
    ["timeout", "timeout_seconds"],
    ["context_length", "context_window"],
    ["params", "parameters"],
    ["options", "parameters"],
  ];
  moveAll(
    file,
    places.map(
      ([from, to]) =>
        [
          [...block, from],
          [...block, to],
        ] as const,
    ),
  );
  for (const key of samplingKeys) file.move([...block, key], [...block, "parameters", key]);
  file.move([...block, "max_output_tokens"], [...block, "parameters", "max_tokens"]);
  file.move([...block, "parameters", "max_output_tokens"], [...block, "parameters", "max_tokens"]);
  const model = file.value([...block, "model"]);
  if (typeof model === "string" && !file.has([...block, "provider"])) {
    const read = modelOf(model);
    if (read.model !== model) file.replace([...block, "model"], read.model);
    file.add([...block, "provider"], read.provider);
  }
  const key = file.value([...block, "api_key"]);
  const [, variable] = (typeof key === "string" ? /^\$\{?([A-Za-z_]\w*)\}?$/.exec(key) : null) ?? [];
  if (variable !== undefined) {
    file.discard([...block, "api_key"]);
    file.add([...block, "api_key_env"], variable);
  } else
    file.leaveOut(
      [...block, "api_key"],
      "keys belong in environment variables; name the variable in `api_key_env`",
    );
}

/** Reads the tools of an agent. */
export function readTools(file: ForeignDocument): void {
  const list = ["spec", "tools"];
  for (let index = 0; index < file.entries(list); index++) {
    const entry = [...list, index];
    const short = file.value(entry);
    if (typeof short === "string") file.replace(entry, { name: short, type: "builtin" });
    for (const key of file.keys([...entry, "function"]))
      file.move([...entry, "function", key], [...entry, key]);
    file.prune([...entry, "function"]);
    moveAll(file, [
      [
        [...entry, "input_schema"],
        [...entry, "parameters"],
      ],
      [
        [...entry, "schema"],
        [...entry, "parameters"],
      ],
      [
        [...entry, "timeout"],
        [...entry, "timeout_seconds"],
      ],
      [
        [...entry, "requires_confirmation"],
        [...entry, "requires_approval"],
      ],
      [
        [...entry, "needs_approval"],
        [...entry, "requires_approval"],
      ],
      [
        [...entry, "args"],
        [...entry, "config", "args"],
      ],
      [
        [...entry, "command"],
        [...entry, "config", "command"],
      ],
      [
        [...entry, "env"],
        [...entry, "config", "env"],
      ],
      [
        [...entry, "transport"],
        [...entry, "config", "transport"],
      ],
      [
        [...entry, "url"],
        [...entry, "config", "url"],
      ],
      [
        [...entry, "method"],
        [...entry, "config", "method"],
      ],
      [
        [...entry, "headers"],
        [...entry, "config", "headers"],
      ],
      [
        [...entry, "collection"],
        [...entry, "config", "collection"],
      ],
      [
        [...entry, "agent"],
        [...entry, "config", "agent"],
      ],
    ]);
    const type = file.value([...entry, "type"]);
    if (type === "function") {
      file.replace([...entry, "type"], "client", 'is now "client": the caller of the agent executes it');
    } else if (type === "http" || type === "api") file.replace([...entry, "type"], "webhook");
    else if (type === undefined && file.keys(entry).length > 0) {
      const has = (key: string) => file.has([...entry, "config", key]);
      file.add(
        [...entry, "type"],
        has("command")
          ? "mcp"
          : has("collection")
            ? "rag"
            : has("agent")
              ? "agent"
              : has("url")
                ? "webhook"
                : file.has([...entry, "parameters"])
                  ? "client"
                  : "builtin",
      );
    }
  }
}

/** Backends by their names in other formats. */
const memoryBackends: Readonly<Record<string, string>> = {
  in_memory: "memory",
  "in-memory": "memory",
  inmemory: "memory",
  ram: "memory",
  local: "sqlite",
  postgresql: "postgres",
};

const strategies: Readonly<Record<string, string>> = {
  buffer: "sliding_window",
  window: "sliding_window",
  buffer_window: "sliding_window",
  "sliding-window": "sliding_window",
  summarize: "summary",
  summarization: "summary",
  tokens: "token_budget",
};

/** Reads an agent's memory settings. */
export function readMemory(file: ForeignDocument): void {
  const memory = ["spec", "memory"];
  const talk = [...memory, "conversational"];
  const short = file.value(memory);
  if (typeof short === "string") file.replace(memory, { conversational: { backend: short } });
  else if (typeof short === "boolean")
    file.leaveOut(memory, "conversations are always kept; there is no switch");
  for (const name of ["short_term", "conversation", "chat", "buffer"]) file.move([...memory, name], talk);
  file.move([...memory, "long_term"], [...memory, "semantic"]);
  file.move([...memory, "vector"], [...memory, "semantic"]);
  const kinds = ["conversational", "semantic", "episodic"];
  for (const key of file.keys(memory).filter((each) => !kinds.includes(each)))
    file.move([...memory, key], [...talk, key]);
  for (const kind of kinds) {
    const own = [...memory, kind];
    if (file.value([...own, "enabled"]) === false) file.leaveOut(own, "it is not enabled");
    file.discard([...own, "enabled"]);
    moveAll(file, [
      [
        [...own, "store"],
        [...own, "backend"],
      ],
      [
        [...own, "provider"],
        [...own, "backend"],
      ],
      [
        [...own, "url"],
        [...own, "connection", "url"],
      ],
    ]);
    if (typeof file.value([...own, "connection"]) === "string")
      file.replace([...own, "connection"], { url: file.value([...own, "connection"]) });
    const backend = file.value([...own, "backend"]);
    const known = typeof backend === "string" ? memoryBackends[backend.toLowerCase()] : undefined;
    if (known !== undefined) file.replace([...own, "backend"], known);
  }
  moveAll(file, [
    [
      [...talk, "type"],
      [...talk, "strategy"],
    ],
    ...["window_size", "window", "max_history", "history_length", "k"].map(
      (key) =>
        [
          [...talk, key],
          [...talk, "max_turns"],
        ] as const,
    ),
    [
      [...talk, "max_tokens"],
      [...talk, "token_budget"],
    ],
    [
      [...talk, "ttl"],
      [...talk, "ttl_seconds"],
    ],
    [
      [...memory, "semantic", "threshold"],
      [...memory, "semantic", "similarity_threshold"],
    ],
    [
      [...memory, "semantic", "min_score"],
      [...memory, "semantic", "similarity_threshold"],
    ],
    [
      [...memory, "semantic", "embedding_model"],
      [...memory, "semantic", "embedder"],
    ],
    [
      [...memory, "semantic", "top_k"],
      [...memory, "semantic", "max_results"],
    ],
    [
      [...memory, "episodic", "top_k"],
      [...memory, "episodic", "max_results"],
    ],
  ]);
  const strategy = file.value([...talk, "strategy"]);
  const known = typeof strategy === "string" ? strategies[strategy.toLowerCase()] : undefined;
  if (known !== undefined) file.replace([...talk, "strategy"], known);
  if (typeof strategy === "string" && Object.hasOwn(memoryBackends, strategy)) {
    file.discard([...talk, "strategy"]);
    file.add([...talk, "backend"], memoryBackends[strategy]);
  }
}

const units: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, min: 60, h: 3600, d: 86_400 };

/** Reads durations such as `24h`, under every key that counts seconds. */
export function readDurations(file: ForeignDocument, path: Path = []): void {
  for (const key of [
    ...file.keys(path),
    ...Array.from({ length: file.entries(path) }, (_, index) => index),
  ]) {
    const here = [...path, key];
    const value = file.value(here);
    const counts = typeof key === "string" && /^(timeout|backoff|ttl|.*_seconds)$/.test(key);
    const [, amount, unit = "s"] =
      (counts && typeof value === "string" ? /^(\d+(?:\.\d+)?)\s*([a-z]+)?$/.exec(value) : null) ?? [];
    const factor = units[unit];
    if (amount !== undefined && factor !== undefined) file.replace(here, Math.round(Number(amount) * factor));
    else if (typeof value === "object" && value !== null && !isFreeForm(here)) readDurations(file, here);
  }
}

/** Mappings with free keys. */
const freeForm =
  /(^|\.)(labels|parameters|output_schema|headers|env|filters|templates|schema|input_schema|response_format|response_schema|properties|roles|models|prices)$/;
const ownParameters = /(primary|fallback|fallbacks\[\d+\]|candidates\[\d+\]|model|spec)\.parameters$/;

export function isFreeForm(path: Path): boolean {
  const written = dotted(path);
  return freeForm.test(written) && !ownParameters.test(written) && !/(^|\.)roles$/.test(written);
}

/** Renames keys in camel case or with hyphens, except in mappings with free keys. */
export function readKeys(file: ForeignDocument, path: Path = []): void {
  for (const key of file.keys(path)) {
    const plain = key
      .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
      .replaceAll("-", "_")
      .toLowerCase();
    const isOwn = key === "apiVersion" || (/\W/.test(key) && !/^[a-z]+(-[a-z]+)+$/i.test(key));
    const name = isOwn || plain === key || !file.move([...path, key], [...path, plain]) ? key : plain;
    const here = [...path, name];
    if (!isFreeForm(here)) readKeys(file, here);
  }
  for (let index = 0; index < file.entries(path); index++) readKeys(file, [...path, index]);
}
