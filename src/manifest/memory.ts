import { Type } from "@sinclair/typebox";
import type { ManifestRegistries } from "./registries.ts";
import { closed, nameFrom, number, oneOf, storeUrl, whole } from "./schema-vocabulary.ts";

const connection = Type.Optional(
  closed(
    { url: storeUrl({ description: "The store's address." }) },
    { description: "An own store; absent: the one of the installation." },
  ),
);

const conversational = (registries: ManifestRegistries) =>
  closed(
    {
      backend: Type.Optional(
        oneOf(
          ["sqlite", "postgres", "redis"],
          {
            description: "Where turns are kept; `postgres` by default when DATABASE_URL is set.",
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
          description: "Seconds after which a session that nobody continued is forgotten; absent: never.",
        }),
      ),
      connection,
    },
    { description: "The conversation of a session." },
  );

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
      embedder: nameFrom(registries.embedders, {
        description: "What turns text into vectors.",
        default: "local_hash",
      }),
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

/** `spec.memory`: what an agent remembers. */
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
