import { type Static, Type } from "@sinclair/typebox";

/** Vendors that take a key of the org. */
export const keyedProviders = ["openai", "anthropic", "groq", "mistral", "cohere"] as const;
/** Providers that a model may name: the vendors, the operator's local model server, and the built-in rehearsal. */
export const cloudProviders = [...keyedProviders, "ollama", "rehearsal"] as const;
export type OrgProvider = (typeof cloudProviders)[number];

export const isKeyedProvider = (name: string): boolean => keyedProviders.some((one) => one === name);

export const ProviderKeyInput = Type.Object(
  {
    provider: Type.String({
      minLength: 1,
      maxLength: 63,
      description: `One of ${keyedProviders.join(", ")}; ollama and rehearsal need no key.`,
    }),
    api_key: Type.String({
      minLength: 1,
      maxLength: 1024,
      pattern: "^[\\x21-\\x7e]+$",
      description: "Write only.",
      fault: "must be 1 to 1024 visible ASCII characters",
    }),
  },
  { additionalProperties: false },
);
export type ProviderKeyInput = Static<typeof ProviderKeyInput>;

export const ProviderSaved = Type.Object({ provider: Type.String(), status: Type.Literal("saved") });
export type ProviderSaved = Static<typeof ProviderSaved>;

export const OrgProviderList = Type.Object({
  providers: Type.Array(
    Type.Object({
      provider: Type.String(),
      masked_key: Type.String({ description: "The last four characters after dots." }),
      added_at: Type.String(),
    }),
  ),
});
export type OrgProviderList = Static<typeof OrgProviderList>;
