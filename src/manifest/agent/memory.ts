import { type TUnsafe, Type } from "@sinclair/typebox";
import type { ManifestRegistries } from "../schema/registries.ts";
import { closed, number, oneOf, storeUrl, whole } from "../schema/schema-vocabulary.ts";

const connection = Type.Optional(
  closed(
    { url: storeUrl({ description: "The store's address." }) },
    { description: "An own store; absent: the one of the installation." },
  ),
);

const conversationalConnection = Type.Optional(
  closed(
    {
      url: Type.String({
        pattern: "^[^\\s\\u0000-\\u001f\\u007f]{1,2000}$",
        expects: "an address such as redis://host:6379, or a file such as sqlite:memory/chats.db",
        description:
          "The store's address: `postgres://…`, `redis://…` or, for `sqlite`, a file in the workspace or in `memory/` of the data folder.",
      }),
    },
    { description: "An own store; absent: the one of the installation, or what REDIS_URL names." },
  ),
);

const conversational = (registries: ManifestRegistries) =>
  closed(
    {
      backend: Type.Optional(
        oneOf(
          ["sqlite", "postgres", "redis", "memory"],
          {
            description:
              "Where turns are kept; `postgres` by default when DATABASE_URL is set. `memory`: in the process, gone with it.",
            default: "sqlite",
          },
          registries.conversationalBackends,
        ),
      ),
      strategy: oneOf(
        ["sliding_window", "summary", "token_budget"],
        {
          description:
            "`sliding_window`: the last turns; `summary`: older turns are summarised; `token_budget`: as many turns as fit.",
          default: "sliding_window",
        },
        registries.memoryStrategies,
      ),
      max_turns: whole(1, 10_000, {
        description: "Turns that are kept in view; a question and its answer are two.",
        default: 50,
        aliases: ["max_messages"],
      }),
      token_budget: whole(1, 10_000_000, {
        description: "Tokens of history under `token_budget` and `summary`, of at most `max_turns` turns.",
        default: 4000,
      }),
      ttl_seconds: Type.Optional(
        whole(1, 315_360_000, {
          description: "Seconds without a message after which a session is forgotten; absent: never.",
        }),
      ),
      connection: conversationalConnection,
    },
    { description: "The conversation of a session." },
  );

/** A provider of embeddings, with a model if it has several: `ollama/nomic-embed-text`. */
function embedder(providers: readonly string[] | undefined): TUnsafe<string> {
  const named = providers === undefined ? "[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?" : providers.join("|");
  const known = providers === undefined ? "a provider" : providers.map((name) => `\`${name}\``).join(", ");
  return Type.Unsafe<string>(
    Type.String({
      pattern: `^(${named})(/[^\\s/][^\\s]{0,254})?$`,
      expects: `${known}, with a model behind a slash where it has several: \`ollama/nomic-embed-text\``,
      description:
        "What turns text into vectors: a provider of embeddings, or `provider/model`. Changing it needs the agent's memory to be indexed again.",
      default: "local_hash",
    }),
  );
}

const semantic = (registries: ManifestRegistries) =>
  closed(
    {
      backend: Type.Optional(
        oneOf(
          ["lancedb", "pgvector", "qdrant", "chroma", "memory"],
          { description: "The vector store.", default: "lancedb" },
          registries.semanticBackends,
        ),
      ),
      embedder: embedder(registries.embedders),
      similarity_threshold: Type.Optional(
        number(0, 1, {
          description: "Memories below this score are left out; absent: the embedder's own (local_hash 0.3).",
        }),
      ),
      max_results: whole(1, 100, { description: "Memories brought into the prompt.", default: 10 }),
      connection,
    },
    { description: "What was said in other sessions, found by meaning." },
  );

const episodic = (registries: ManifestRegistries) =>
  closed(
    {
      backend: Type.Optional(
        oneOf(
          ["sqlite", "postgres"],
          {
            description: "Where episodes are kept; `postgres` by default when DATABASE_URL is set.",
            default: "sqlite",
          },
          registries.episodicBackends,
        ),
      ),
      max_results: whole(1, 100, { description: "Episodes brought into the prompt.", default: 5 }),
      connection,
    },
    { description: "What happened, as dated episodes." },
  );

/** `spec.memory`: the kinds of memory of an agent. */
export const memorySection = (registries: ManifestRegistries) =>
  closed(
    {
      conversational: Type.Optional(conversational(registries)),
      semantic: Type.Optional(semantic(registries)),
      episodic: Type.Optional(episodic(registries)),
    },
    {
      description:
        "What the agent remembers. Conversations are kept in any case; other kinds only when they are named.",
      default: {},
    },
  );
