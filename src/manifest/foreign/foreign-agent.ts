import type { Path } from "../fault.ts";
import type { ForeignDocument } from "./foreign-document.ts";
import { moveAll, readMemory, readModels, readTools } from "./foreign-parts.ts";

/** Root keys that are not part of the `spec`, in files without a `spec`. */
const headKeys = ["apiVersion", "kind", "metadata", "spec"];

/** Foreign places of keys, and Argosy's places for them. */
const places: readonly (readonly [from: Path, to: Path])[] = [
  [["name"], ["metadata", "name"]],
  [["version"], ["metadata", "version"]],
  [["labels"], ["metadata", "labels"]],
  [
    ["spec", "name"],
    ["metadata", "name"],
  ],
  [
    ["spec", "version"],
    ["metadata", "version"],
  ],
  [
    ["metadata", "description"],
    ["spec", "identity", "description"],
  ],
  [
    ["metadata", "display_name"],
    ["spec", "identity", "display_name"],
  ],
  [
    ["metadata", "tags"],
    ["metadata", "labels"],
  ],
  ...["description", "display_name", "role", "personality", "avatar"].map(
    (key) =>
      [
        ["spec", key],
        ["spec", "identity", key],
      ] as const,
  ),
  [
    ["spec", "persona"],
    ["spec", "identity", "personality"],
  ],
  [
    ["spec", "goal"],
    ["spec", "identity", "description"],
  ],
  [
    ["spec", "backstory"],
    ["spec", "identity", "personality"],
  ],
  ...["system_prompt", "systemMessage", "system_message", "instructions", "system", "prompt"].map(
    (key) =>
      [
        ["spec", key],
        ["spec", "prompts", "system"],
      ] as const,
  ),
  [
    ["spec", "prompts", "system_prompt"],
    ["spec", "prompts", "system"],
  ],
  [
    ["spec", "response_format"],
    ["spec", "output_schema"],
  ],
  [
    ["spec", "response_schema"],
    ["spec", "output_schema"],
  ],
  [
    ["spec", "output_type"],
    ["spec", "output_schema"],
  ],
  ...["max_iterations", "timeout_seconds", "timeout", "pattern", "workers", "stages"].map(
    (key) =>
      [
        ["spec", key],
        ["spec", "orchestration", key],
      ] as const,
  ),
  ...["max_steps", "max_turns", "max_iter", "iterations", "recursion_limit"].flatMap((key) => [
    [
      ["spec", key],
      ["spec", "orchestration", "max_iterations"],
    ] as const,
    [
      ["spec", "orchestration", key],
      ["spec", "orchestration", "max_iterations"],
    ] as const,
  ]),
  ...["type", "mode", "strategy"].map(
    (key) =>
      [
        ["spec", "orchestration", key],
        ["spec", "orchestration", "pattern"],
      ] as const,
  ),
  [
    ["spec", "guard_rails"],
    ["spec", "guardrails"],
  ],
];

/** Rewrites an agent in the format of another program or a similar one. */
export function rewriteAgent(file: ForeignDocument): void {
  if (!file.has(["spec"])) {
    const own = file
      .keys([])
      .filter((key) => !headKeys.includes(key) && !["name", "version", "labels"].includes(key));
    for (const key of own) file.move([key], ["spec", key]);
  }
  for (const key of ["prompts", "prompt"])
    if (typeof file.value(["spec", key]) === "string") file.move(["spec", key], ["spec", "system_prompt"]);
  if (typeof file.value(["spec", "orchestration"]) === "string") {
    file.replace(["spec", "orchestration"], { pattern: file.value(["spec", "orchestration"]) });
  }
  for (const key of file.keys(["spec", "api"]))
    file.move(["spec", "api", key], ["spec", key === "name" ? "model" : key]);
  file.prune(["spec", "api"]);
  moveAll(file, places);
  readModels(file);
  readTools(file);
  readMemory(file);
  readGuardrails(file);
  readChain(file);
  readHead(file, "Agent");
}

/** Reads the head, and rewrites the name for use in routes. */
export function readHead(file: ForeignDocument, kind: string): void {
  const name = file.value(["metadata", "name"]);
  if (typeof name === "string") {
    const usable = name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-+|-+$/g, "")
      .slice(0, 63);
    if (usable !== name && usable !== "") file.replace(["metadata", "name"], usable);
  }
  const head = { kind, apiVersion: "platform/v1" };
  for (const [key, wanted] of Object.entries(head)) {
    if (!file.has([key])) file.add([key], wanted);
    else if (file.value([key]) !== wanted) file.replace([key], wanted);
  }
}

/** Flat lists of other formats, with the corresponding guardrail of Argosy. */
const flatGuardrails: readonly (readonly [
  key: string,
  stage: "input" | "output",
  type: string,
  option: string,
])[] = [
  ["blocked_categories", "output", "content_filter", "categories"],
  ["blocked_keywords", "output", "content_filter", "keywords"],
  ["blocked_words", "output", "content_filter", "keywords"],
  ["blocked_patterns", "output", "content_filter", "patterns"],
  ["blocked_topics", "input", "topic_filter", "topics"],
  ["max_input_length", "input", "max_length", "max_chars"],
];

const optionNames: readonly (readonly [from: string, to: string])[] = [
  ["name", "type"],
  ["blocked_categories", "categories"],
  ["blocked_topics", "topics"],
  ["blocked_keywords", "keywords"],
  ["blocked_words", "keywords"],
  ["blocked_patterns", "patterns"],
  ["max_length", "max_chars"],
  ["max_characters", "max_chars"],
  ["on_match", "action"],
  ["on_fail", "action"],
];

function readGuardrails(file: ForeignDocument): void {
  const root = ["spec", "guardrails"];
  for (const [key, stage, type, option] of flatGuardrails) {
    const value = file.value([...root, key]);
    if (value === undefined) continue;
    const entry = { type, ...(type === "max_length" ? {} : { action: "block" }), [option]: value };
    const entries = file.value([...root, stage]);
    file.replace(
      [...root, stage],
      [...(Array.isArray(entries) ? entries : []), entry],
      `got \`${type}\` of \`${key}\``,
    );
    file.discard([...root, key]);
  }
  for (const stage of ["input", "output"]) {
    for (let index = 0; index < file.entries([...root, stage]); index++) {
      const entry = [...root, stage, index];
      const short = file.value(entry);
      if (typeof short === "string") file.replace(entry, { type: short });
      for (const option of file.keys([...entry, "config"]))
        file.move([...entry, "config", option], [...entry, option]);
      file.prune([...entry, "config"]);
      moveAll(
        file,
        optionNames.map(
          ([from, to]) =>
            [
              [...entry, from],
              [...entry, to],
            ] as const,
        ),
      );
    }
  }
}

function readChain(file: ForeignDocument): void {
  const list = ["spec", "chain", "on_complete"];
  for (let index = 0; index < file.entries(list); index++) {
    const link = [...list, index];
    const retry = [...link, "retry"];
    if (typeof file.value(link) === "string") file.replace(link, { agent: file.value(link) });
    const attempts = file.value(retry);
    if (typeof attempts === "number") file.replace(retry, { max_attempts: attempts });
    moveAll(file, [
      [
        [...link, "name"],
        [...link, "agent"],
      ],
      [
        [...link, "condition"],
        [...link, "when"],
      ],
      [
        [...retry, "attempts"],
        [...retry, "max_attempts"],
      ],
      [
        [...retry, "max_retries"],
        [...retry, "max_attempts"],
      ],
      [
        [...retry, "delay"],
        [...retry, "backoff"],
      ],
      [
        [...retry, "initial_delay"],
        [...retry, "backoff"],
      ],
      [
        [...retry, "backoff_seconds"],
        [...retry, "backoff"],
      ],
    ]);
    const backoff = file.value([...retry, "backoff"]);
    if (backoff === "exponential") {
      file.replace(
        [...retry, "backoff"],
        1,
        "is now 1: seconds before the second attempt, doubled for each further one",
      );
    } else if (typeof backoff === "string" && !/^\d/.test(backoff)) {
      file.leaveOut([...retry, "backoff"], `${backoff}: Argosy doubles the wait before each further attempt`);
    }
  }
}
