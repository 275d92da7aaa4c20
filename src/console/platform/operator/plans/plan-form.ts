import {
  type DocumentFeature,
  documentFeatures,
  documentLimitsOf,
  freePlanId,
  storageFeature,
  storageLimitOf,
} from "../../../../contracts/platform/billing/plan-features.ts";
import type { Plan, PlanInput, PlanSpec } from "../../../../contracts/platform/billing/plans.ts";
import { areReadable, enteredNumber, type NumberEntry } from "../../../parts/inputs/number-entry.ts";
import { isRecord } from "../../../parts/is-record.ts";
import { formatBytes, formatNumber } from "../../../parts/text/format.ts";
import { creditsText, usdText } from "../../../parts/text/money.ts";
import { planTexts as texts } from "../../../texts/platform/billing.ts";

export const planLimits = {
  max_concurrency: texts.concurrency,
  max_rpm: texts.rpm,
  max_tokens_per_call: texts.callTokens,
  max_run_tokens: texts.runTokens,
  max_iterations: texts.iterations,
  max_active_agents: texts.agents,
} as const;

/** Features of a base plan that have fields of their own. */
export const planDocuments = {
  documents_max: texts.documents,
  document_bytes_max: texts.documentBytes,
} as const satisfies Record<DocumentFeature, string>;

const mib = 1024 ** 2;

export const planPrices = {
  min_fee_micros: texts.fee,
  activation_price_micros: texts.activation,
  included_credits_micros: texts.included,
  extra_credit_price_micros: texts.extra,
} as const;

export type PlanLimit = keyof typeof planLimits;
export type PlanPrice = keyof typeof planPrices;

/** The content of the dialog for a new plan; an empty limit is none. */
export interface PlanForm
  extends Record<
    PlanLimit | PlanPrice | DocumentFeature | "credit_cap_period_micros" | "storage_mib",
    NumberEntry
  > {
  id: string;
  name: string;
  argo_code: string;
  /** JSON. */
  spec: string;
}

export const emptyPlan: PlanForm = {
  id: "",
  name: "",
  argo_code: "",
  max_concurrency: null,
  max_rpm: null,
  max_tokens_per_call: null,
  max_run_tokens: null,
  max_iterations: null,
  max_active_agents: null,
  ...documentLimitsOf({}),
  storage_mib: (storageLimitOf({}, false) ?? 0) / mib,
  credit_cap_period_micros: null,
  min_fee_micros: 0,
  activation_price_micros: 0,
  included_credits_micros: 0,
  extra_credit_price_micros: 0,
  spec: '{"unidades": {}, "features": {}}',
};

/** Returns the form of a new plan with everything of another one but its id. */
export const planLike = (plan: Plan): PlanForm => ({
  ...emptyPlan,
  name: plan.name,
  argo_code: plan.argo_code ?? "",
  max_concurrency: plan.max_concurrency,
  max_rpm: plan.max_rpm,
  max_tokens_per_call: plan.max_tokens_per_call,
  max_run_tokens: plan.max_run_tokens,
  max_iterations: plan.max_iterations,
  max_active_agents: plan.max_active_agents,
  ...documentLimitsOf(plan.spec.features),
  storage_mib: mebibytesOf(storageLimitOf(plan.spec.features, plan.id === freePlanId)),
  credit_cap_period_micros: plan.credit_cap_period_micros,
  min_fee_micros: plan.min_fee_micros,
  activation_price_micros: plan.activation_price_micros,
  included_credits_micros: plan.included_credits_micros,
  extra_credit_price_micros: plan.extra_credit_price_micros,
  spec: JSON.stringify({ unidades: plan.spec.unidades, features: otherFeatures(plan) }),
});

const mebibytesOf = (bytes: number | null) => (bytes === null ? null : Math.floor(bytes / mib));

const namesOf = <Name extends string>(texts: Readonly<Record<Name, string>>) => Object.keys(texts) as Name[];
export const limitNames = namesOf(planLimits);
export const priceNames = namesOf(planPrices);
export const documentNames = namesOf(planDocuments);

export const isCompletePlan = (form: PlanForm): boolean =>
  areReadable(Object.values(form)) &&
  priceNames.every((name) => form[name] !== null) &&
  parseSpec(form.spec) !== undefined;

/** Returns the plan to send. Throws if the form is not complete. */
export function planOf(form: PlanForm): PlanInput {
  const spec = parseSpec(form.spec);
  if (spec === undefined) throw new Error(texts.specFault);
  const price = (name: PlanPrice): number => {
    const entered = enteredNumber(form[name]);
    if (entered === null) throw new Error(texts.priceMissing(planPrices[name]));
    return entered;
  };
  return {
    id: form.id,
    name: form.name,
    argo_code: form.argo_code === "" ? null : form.argo_code,
    max_concurrency: enteredNumber(form.max_concurrency),
    max_rpm: enteredNumber(form.max_rpm),
    credit_cap_period_micros: enteredNumber(form.credit_cap_period_micros),
    max_tokens_per_call: enteredNumber(form.max_tokens_per_call),
    max_run_tokens: enteredNumber(form.max_run_tokens),
    max_iterations: enteredNumber(form.max_iterations),
    max_active_agents: enteredNumber(form.max_active_agents),
    min_fee_micros: price("min_fee_micros"),
    activation_price_micros: price("activation_price_micros"),
    included_credits_micros: price("included_credits_micros"),
    extra_credit_price_micros: price("extra_credit_price_micros"),
    spec: form.argo_code === "" ? { ...spec, features: { ...spec.features, ...keptOf(form) } } : spec,
  };
}

/** What a base plan lets a tenant keep. */
function keptOf(form: PlanForm) {
  const storage = enteredNumber(form.storage_mib);
  return {
    ...Object.fromEntries(documentNames.map((name) => [name, enteredNumber(form[name])])),
    [storageFeature]: storage === null ? null : storage * mib,
  };
}

/** A plan's limits and prices, every amount in full. Null is no limit, and 0 lets nothing through. */
export function planFacts(
  plan: Omit<PlanInput, "id" | "name"> & { id?: string },
): { label: string; value: string }[] {
  return [
    ...limitNames.map((name) => ({ label: planLimits[name], value: limitText(plan[name], formatNumber) })),
    ...keptFacts(plan),
    { label: texts.cap, value: limitText(plan.credit_cap_period_micros, creditsText) },
    { label: texts.fee, value: usdText(plan.min_fee_micros) },
    { label: texts.activation, value: usdText(plan.activation_price_micros) },
    { label: texts.included, value: creditsText(plan.included_credits_micros) },
    { label: texts.extra, value: usdText(plan.extra_credit_price_micros) },
    ...Object.entries(plan.spec?.unidades ?? {}).map(([unit, { incluidas, excedente_micros }]) => ({
      label: unit,
      value: texts.unitPrice(formatNumber(incluidas), usdText(excedente_micros)),
    })),
  ];
}

/** Features of a plan that have no field and no fact of their own. */
export const otherFeatures = ({ argo_code, spec }: Pick<PlanInput, "argo_code" | "spec">) =>
  Object.fromEntries(
    Object.entries(spec?.features ?? {}).filter(
      ([name]) =>
        (argo_code ?? null) !== null || !(Object.hasOwn(documentFeatures, name) || name === storageFeature),
    ),
  );

/** True if a single run can reserve the whole month's credits. */
export const reservesAll = ({ credit_cap_period_micros, max_run_tokens }: PlanInput): boolean =>
  credit_cap_period_micros !== null && max_run_tokens === null;

/** Documents and all that is stored belong to the tenant: a base plan says how much. */
function keptFacts({ id, argo_code, spec }: Pick<PlanInput, "argo_code" | "spec"> & { id?: string }) {
  if ((argo_code ?? null) !== null) return [];
  const features = spec?.features ?? {};
  const limits = documentLimitsOf(features);
  return [
    ...documentNames.map((name) => ({
      label: planDocuments[name],
      value: limitText(limits[name], formatNumber),
    })),
    {
      label: texts.storage,
      value: limitText(storageLimitOf(features, id === freePlanId), formatBytes),
    },
  ];
}

const exampleExtraCredits = 10;
const exampleExtraUnits = 10;

/**
 * Returns example bills under the plan, line by line: a first month that begins in its middle and stays within what is included, then a
 * whole month with some credits and units beyond it. Says what is included, for how long and for whom.
 */
export function planExample(plan: PlanInput): string[] {
  const [fee, activation] = [plan.min_fee_micros, plan.activation_price_micros];
  const half = Math.round(fee / 2);
  const isBase = (plan.argo_code ?? null) === null;
  const extra = plan.extra_credit_price_micros * exampleExtraCredits;
  const entries = Object.entries(plan.spec?.unidades ?? {});
  const included = [
    texts.creditsOf(creditsText(plan.included_credits_micros)),
    ...entries.map(([unit, { incluidas }]) => `${formatNumber(incluidas)} ${unit}`),
  ].join(", ");
  const units = entries.map(([unit, { excedente_micros: price }]) => ({
    text: texts.exampleUnits(unit, exampleExtraUnits, usdText(price), usdText(price * exampleExtraUnits)),
    amount: price * exampleExtraUnits,
  }));
  const total = fee + extra + units.reduce((sum, { amount }) => sum + amount, 0);
  return [
    isBase ? texts.exampleIncludedInBase(included) : texts.exampleIncluded(included),
    texts.exampleFirst(`15 ÷ 30 × ${usdText(fee)} = ${usdText(half)}`),
    // A base plan has no activation.
    ...(isBase ? [] : [texts.exampleActivation(usdText(activation))]),
    texts.exampleFirstTotal(usdText(half + (isBase ? 0 : activation))),
    texts.exampleFee(usdText(fee)),
    texts.exampleExtra(
      creditsText(plan.included_credits_micros + exampleExtraCredits * 1_000_000),
      `${exampleExtraCredits} × ${usdText(plan.extra_credit_price_micros)} = ${usdText(extra)}`,
    ),
    ...units.map(({ text }) => text),
    texts.exampleTotal(usdText(total)),
  ];
}

function limitText(limit: number | null, format: (value: number) => string): string {
  if (limit === null) return texts.unlimited;
  return limit === 0 ? texts.blocked : format(limit);
}

/** Parses a plan's units and features; returns undefined for any other JSON. The platform checks names and bounds. */
export function parseSpec(text: string): PlanSpec | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || !isRecord(value.unidades) || !isRecord(value.features)) return undefined;
    const units = Object.values(value.unidades);
    const areUnits = units.every(
      (unit) => isRecord(unit) && Number.isInteger(unit.incluidas) && Number.isInteger(unit.excedente_micros),
    );
    return areUnits ? (value as PlanSpec) : undefined;
  } catch {
    return undefined;
  }
}
