import { type Static, Type } from "@sinclair/typebox";
import type { ManifestKind } from "../schema/manifest-kind.ts";
import {
  closed,
  flag,
  httpUrl,
  list,
  mapping,
  name,
  objectName,
  oneOf,
  openObject,
  text,
  variableName,
  whole,
} from "../schema/schema-vocabulary.ts";

const microsMax = 1_000_000_000_000;
const countMax = 1_000_000_000;

const micros = (description: string, byDefault?: number) =>
  whole(0, microsMax, { description, ...(byDefault !== undefined && { default: byDefault }) });

const limit = (description: string, byDefault: number) =>
  Type.Union([whole(0, countMax, { description }), Type.Null()], {
    description: `${description} null: no limit; 0: blocked.`,
    default: byDefault,
    expects: `a whole number up to ${countMax}, or null`,
  });

/** Defaults are those of the plan `plan_free`. */
const plan = closed({
  name: text(255, { description: "The name on statements." }),
  argo_code: Type.Optional(name({ description: "The vertical of the plan. Absent: a tenant's base plan." })),
  max_concurrency: limit("Runs at once.", 10),
  max_rpm: limit("Runs per UTC minute.", 60),
  credit_cap_period_micros: Type.Union([micros("Credits per month."), Type.Null()], {
    description: "Credits per month, in micros of a credit. null: no cap.",
    default: 5_000_000,
    expects: "a whole number of micros, or null",
  }),
  max_tokens_per_call: limit("Output tokens of a model call.", 2048),
  max_run_tokens: limit("Tokens of a run.", 64_000),
  max_iterations: limit("Model calls of a loop.", 10),
  max_active_agents: limit("Live agents.", 25),
  min_fee_micros: micros("The monthly fee, in micros of USD.", 0),
  activation_price_micros: micros(
    "The price in the month in which a subscription starts, in micros of USD.",
    0,
  ),
  included_credits_micros: micros("Included credits per month, in micros of a credit.", 0),
  extra_credit_price_micros: micros("The price of each further credit, in micros of USD.", 0),
  units: mapping(
    closed({
      included: whole(0, countMax, { description: "Units per month without a charge." }),
      extra_micros: micros("The price of each further unit, in micros of USD."),
    }),
    {
      description: "Units of the vertical, by `<argo>.<unit>`.",
      default: {},
      expects: "a unit of a vertical, such as erp.message",
    },
    "^[a-z0-9_-]{1,63}\\.[a-z0-9_-]{1,63}$",
  ),
  features: openObject({ description: "Features that the platform and callers read.", default: {} }),
});

const tariff = closed({
  provider: text(63, { description: "A provider's name, such as openai." }),
  model: text(255, { description: "The model's name." }),
  effective_from: Type.Optional(
    Type.String({
      pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,3})?(Z|[+-]\\d{2}:\\d{2})$",
      expects: "an instant such as 2026-03-10T12:00:00Z",
      description: "The instant from which it holds. Absent: from the apply on.",
    }),
  ),
  credits_per_1k_in_micros: micros("Price of 1000 input tokens, in micros of a credit."),
  credits_per_1k_out_micros: micros("Price of 1000 output tokens, in micros of a credit."),
  credits_per_1k_cached_in_micros: Type.Optional(
    micros("Price of 1000 cached input tokens, in micros of a credit. Absent: as `in`."),
  ),
  provider_cost_per_1k_in_micros: Type.Optional(
    micros("The provider's own price of 1000 input tokens, in micros of USD."),
  ),
  provider_cost_per_1k_out_micros: Type.Optional(
    micros("The provider's own price of 1000 output tokens, in micros of USD."),
  ),
  infra_cost_per_second_micros: Type.Optional(
    micros("Cost of a second of a run on the operator's machines, in micros of USD."),
  ),
  own: flag({ description: "Whether the model runs on the operator's machines.", default: false }),
});

const channel = closed({
  channel: oneOf(["phone_messenger", "bot_messenger", "photo_social", "webchat", "echo"], {
    description: "The messenger.",
  }),
  external_id: Type.String({
    pattern: "^[\\w.@+-]{1,255}$",
    expects: "1 to 255 letters, digits and the characters . _ - @ +",
    description: "The account's id at the provider: a number's id, a bot's id, a slug.",
  }),
  access_token_env: Type.Optional(
    variableName({ description: "Variable with the access token of phone_messenger or photo_social." }),
  ),
  bot_token_env: Type.Optional(variableName({ description: "Variable with the token of bot_messenger." })),
  emulated: flag({ description: "Whether messages go to the gateway's emulator.", default: false }),
  entry_agent: Type.Optional(
    objectName({ description: "The agent that answers. Required unless callback_url is given." }),
  ),
  fallback_message: Type.String({
    maxLength: 4096,
    description: "The answer if a run fails; empty: none.",
    default: "",
  }),
  platform_api_key_env: Type.Optional(
    variableName({ description: "Variable with the tenant's API key, by which the gateway runs the agent." }),
  ),
  callback_url: Type.Optional(
    httpUrl({ description: "Address that messages are forwarded to, in place of an agent." }),
  ),
  callback_secret_env: Type.Optional(
    variableName({ description: "Variable with the secret that signs forwarded messages." }),
  ),
  pedir_contacto: Type.Optional(flag({ description: "bot_messenger: whether to offer a contact button." })),
  format: Type.Optional(
    oneOf(["markdown", "plain", "raw"], {
      description:
        "How answers are sent: with the channel's marks (`markdown`), without marks, or as they are.",
    }),
  ),
  groups: Type.Optional(
    oneOf(["addressed", "all", "none"], {
      description: "Messages of groups that are answered: those that address the account, all, or none.",
    }),
  ),
  collect_seconds: Type.Optional(whole(0, 30, { description: "Messages within these seconds are one run." })),
});

const globs = (what: string, byDefault: string) =>
  list(text(1024, { description: "A glob pattern." }), 64, {
    description: `Files of ${what}, as glob patterns under the workspace.`,
    default: [byDefault],
  });

/** The schema of platform.yaml after reading: defaults filled in. */
export const PlatformFileSchema = closed(
  {
    tenant: Type.Optional(
      text(255, {
        description: "The tenant's id or name. `--tenant` and ARGOSY_PLATFORM_TENANT come first.",
      }),
    ),
    plan: Type.Optional(name({ description: "The tenant's base plan. Absent: left as it is." })),
    agents: globs("the tenant's agents", "agents/**/*.agent.yaml"),
    pipelines: globs("pipelines, whose collections the tenant gets", "rag/**/*.rag.yaml"),
    plans: mapping(
      plan,
      {
        description: "Plans by id. The platform never changes a plan: other values need another id.",
        default: {},
        expects: "a plan's id such as plan_pro",
      },
      "^[a-z0-9][a-z0-9_-]{0,62}$",
    ),
    tariffs: list(tariff, 1000, {
      description: "Prices of models. The platform never changes a tariff: other prices become a later one.",
      default: [],
    }),
    channels: list(channel, 1000, {
      description: "The tenant's accounts at the gateway, each with the agent that answers.",
      default: [],
    }),
  },
  {
    title: "platform.yaml",
    description: "The part of a workspace that `argosy apply` brings to the platform and the gateway.",
  },
);

export type PlatformFile = Static<typeof PlatformFileSchema>;
export type DeclaredChannel = PlatformFile["channels"][number];
export type DeclaredTariff = PlatformFile["tariffs"][number];

const tokenOf: Readonly<
  Record<DeclaredChannel["channel"], "access_token_env" | "bot_token_env" | undefined>
> = {
  phone_messenger: "access_token_env",
  bot_messenger: "bot_token_env",
  photo_social: "access_token_env",
  webchat: undefined,
  echo: undefined,
};

export const platformFileKind: ManifestKind<PlatformFile> = {
  id: "platform",
  schema: PlatformFileSchema,
  rules({ plans, tariffs, channels }, report) {
    for (const [id, { argo_code, units }] of Object.entries(plans)) {
      if (argo_code === undefined && Object.keys(units).length > 0)
        report(["plans", id, "units"], "must be empty without argo_code: units are used by subscriptions");
    }
    const known = new Map<string, number>();
    for (const [index, { provider, model, effective_from }] of tariffs.entries()) {
      const first = known.get(`${provider}/${model}`);
      known.set(`${provider}/${model}`, first ?? index);
      if (first === undefined) continue;
      const bothDated = effective_from !== undefined && tariffs[first]?.effective_from !== undefined;
      if (!bothDated)
        report(["tariffs", index], `is a second tariff of ${provider}/${model}: give each an effective_from`);
      else if (tariffs.slice(0, index).some((one) => isSameTariff(one, { provider, model, effective_from })))
        report(["tariffs", index, "effective_from"], "is that of another tariff of the same model");
    }
    const accounts = new Set<string>();
    for (const [index, one] of channels.entries()) {
      const at = (key: string) => ["channels", index, key];
      const account = `${one.channel}/${one.external_id}`;
      if (accounts.has(account)) report(at("external_id"), `is declared twice: ${account}`);
      accounts.add(account);
      const needed = tokenOf[one.channel];
      for (const key of ["access_token_env", "bot_token_env"] as const) {
        if (key === needed && one[key] === undefined) report(at(key), `is required for ${one.channel}`);
        if (key !== needed && one[key] !== undefined) report(at(key), `has no meaning for ${one.channel}`);
      }
      if (one.callback_url === undefined) {
        if (one.entry_agent === undefined)
          report(at("entry_agent"), "is required unless callback_url is given");
        if (one.platform_api_key_env === undefined)
          report(at("platform_api_key_env"), "is required: the gateway runs the agent by this key");
        if (one.callback_secret_env !== undefined)
          report(at("callback_secret_env"), "has no use without callback_url");
      }
      if (one.pedir_contacto === true && one.channel !== "bot_messenger")
        report(at("pedir_contacto"), "is for bot_messenger only");
    }
  },
};

const isSameTariff = (
  one: Pick<DeclaredTariff, "provider" | "model" | "effective_from">,
  other: Pick<DeclaredTariff, "provider" | "model" | "effective_from">,
): boolean =>
  one.provider === other.provider &&
  one.model === other.model &&
  Date.parse(one.effective_from ?? "") === Date.parse(other.effective_from ?? "");
