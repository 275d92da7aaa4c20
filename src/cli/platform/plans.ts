import { Command, InvalidArgumentError } from "commander";
import { creditsText, usdText } from "../../contracts/amounts.ts";
import {
  documentLimitsOf,
  freePlanId,
  storageLimitOf,
} from "../../contracts/platform/billing/plan-features.ts";
import type { Plan, PlanInput } from "../../contracts/platform/billing/plans.ts";
import { AppError } from "../../kit/app-error.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import {
  amount,
  amountOrNone,
  countOrNone,
  requireYes,
  type TypedLimit,
  yesOption,
} from "../option-values.ts";
import { paint } from "../terminal/paint.ts";
import { type PlatformOptions, platformCommand, tenantCommand, withOperator } from "./with-platform.ts";

type Units = Plan["spec"]["unidades"];

/** Omitted options are taken from the plan that `--like` names. */
interface CreateOptions extends PlatformOptions {
  name: string;
  like: string;
  argo?: string;
  fee?: number;
  activation?: number;
  includedCredits?: number;
  extraCreditPrice?: number;
  creditCap?: TypedLimit;
  concurrency?: TypedLimit;
  rpm?: TypedLimit;
  tokensPerCall?: TypedLimit;
  runTokens?: TypedLimit;
  iterations?: TypedLimit;
  agents?: TypedLimit;
  documents?: TypedLimit;
  storageMib?: TypedLimit;
  documentBytes?: TypedLimit;
  unit?: Units;
  yes?: boolean;
}

export const plansCommand = (perform: Perform) =>
  new Command("plans")
    .description("manage plans: limits, fees and included credits (operators)")
    .addCommand(
      platformCommand("list", "list the plans").action((options: PlatformOptions, command: Command) =>
        perform(command, (call) => list(call, options)),
      ),
      { isDefault: true },
    )
    .addCommand(
      platformCommand("show", "print a plan")
        .argument("<plan>", "a plan's id")
        .action((id: string, options: PlatformOptions, command: Command) =>
          perform(command, (call) => show(call, id, options)),
        ),
    )
    .addCommand(
      platformCommand("create", "create a plan; plans can't be changed, only replaced by new ones")
        .argument("<id>", "the id, such as plan_pro")
        .requiredOption("--name <name>", "the name on statements")
        .option("--like <plan>", "copy missing values from this plan", "plan_free")
        .option("--argo <code>", "the vertical of the plan (default: a tenant's base plan)")
        .option("--fee <amount>", "monthly fee, such as 29.90", amount)
        .option("--activation <amount>", "one-time fee in the first month of a subscription", amount)
        .option("--included-credits <credits>", "credits included each month", amount)
        .option("--extra-credit-price <amount>", "price of an extra credit", amount)
        .option("--credit-cap <credits>", "maximum credits per month, or none", amountOrNone)
        .option("--concurrency <runs>", "maximum concurrent runs, or none", countOrNone)
        .option("--rpm <runs>", "maximum runs per minute, or none", countOrNone)
        .option("--tokens-per-call <tokens>", "maximum output tokens per model call, or none", countOrNone)
        .option("--run-tokens <tokens>", "maximum tokens per run, or none", countOrNone)
        .option("--iterations <calls>", "maximum model calls per run, or none", countOrNone)
        .option("--agents <agents>", "maximum number of agents, or none", countOrNone)
        .option("--documents <documents>", "maximum documents per tenant, or none", countOrNone)
        .option("--storage-mib <mebibytes>", "maximum that a tenant stores, in MiB, or none", countOrNone)
        .option("--document-bytes <bytes>", "maximum bytes per document, or none", countOrNone)
        .option(
          "--unit <unit=included:price>",
          "billed units of the vertical, such as erp.message=100:0.02; repeatable",
          unit,
        )
        .addOption(yesOption())
        .action((id: string, options: CreateOptions, command: Command) =>
          perform(command, (call) => create(call, id, options)),
        ),
    )
    .addCommand(
      tenantCommand(
        "assign",
        "assign a base plan to a tenant; limits apply now, the fee after the current day",
      )
        .argument("<plan>", "a plan's id")
        .action((id: string, options: PlatformOptions, command: Command) =>
          perform(command, (call) => assign(call, id, options)),
        ),
    );

function unit(text: string, earlier: Units = {}): Units {
  const [, name = "", included = "", price = ""] = /^([^=]+)=(\d{1,9}):([\d.]+)$/.exec(text) ?? [];
  if (name === "")
    throw new InvalidArgumentError(
      "It must be a unit such as erp.message=100:0.02 (included units : price per extra unit).",
    );
  return { ...earlier, [name]: { incluidas: Number(included), excedente_micros: amount(price) } };
}

async function list(call: CommandCall, options: PlatformOptions): Promise<ExitCode> {
  const { screen } = call;
  const plans = await withOperator(call, options, (client) => client.listPlans());
  if (screen.json) screen.document(plans);
  else {
    screen.table(
      ["PLAN", "NAME", "FOR", "FEE", "INCLUDED", "CAP"],
      plans.plans.map((plan) => [
        paint("bold", plan.id),
        plan.name,
        plan.argo_code ?? "base plan",
        usdText(plan.min_fee_micros),
        creditsText(plan.included_credits_micros),
        capOf(plan),
      ]),
    );
  }
  return exitCodes.ok;
}

const capOf = ({ credit_cap_period_micros: cap }: Plan) => (cap === null ? "none" : creditsText(cap));
const limitOf = (limit: number | null) => (limit === null ? "none" : String(limit));

async function show(call: CommandCall, id: string, options: PlatformOptions): Promise<ExitCode> {
  const { screen } = call;
  const { plans } = await withOperator(call, options, (client) => client.listPlans());
  const plan = getPlan(plans, id);
  const documents = documentLimitsOf(plan.spec.features);
  if (screen.json) screen.document(plan);
  else {
    screen.fields([
      ["plan", paint("bold", plan.id)],
      ["name", plan.name],
      ["for", plan.argo_code ?? "base plan"],
      ["monthly fee", usdText(plan.min_fee_micros)],
      ["activation", usdText(plan.activation_price_micros)],
      ["included credits", creditsText(plan.included_credits_micros)],
      ["extra credit", usdText(plan.extra_credit_price_micros)],
      ["credit cap", capOf(plan)],
      ["runs at once", limitOf(plan.max_concurrency)],
      ["runs a minute", limitOf(plan.max_rpm)],
      ["tokens a call", limitOf(plan.max_tokens_per_call)],
      ["tokens a run", limitOf(plan.max_run_tokens)],
      ["model calls a loop", limitOf(plan.max_iterations)],
      ["live agents", limitOf(plan.max_active_agents)],
      ["stored bytes", limitOf(storageLimitOf(plan.spec.features, plan.id === freePlanId))],
      ["documents", limitOf(documents.documents_max)],
      ["bytes of a document", limitOf(documents.document_bytes_max)],
      ...Object.entries(plan.spec.unidades).map(
        ([name, { incluidas, excedente_micros }]) =>
          [name, `${incluidas} included, ${usdText(excedente_micros)} per extra unit`] as const,
      ),
    ]);
  }
  return exitCodes.ok;
}

function getPlan(plans: readonly Plan[], id: string): Plan {
  const plan = plans.find((one) => one.id === id);
  if (plan !== undefined) return plan;
  throw new AppError("not_found", "plan_not_found", `There is no plan ${id}.`, {
    details: { hint: "`argosy platform plans` lists them." },
  });
}

async function create(call: CommandCall, id: string, options: CreateOptions): Promise<ExitCode> {
  const { screen } = call;
  return withOperator(call, options, async (client) => {
    const { plans } = await client.listPlans();
    const input = inputOf(id, options, getPlan(plans, options.like));
    const cap = input.credit_cap_period_micros;
    requireYes(
      options,
      `This would store the plan ${id} with a fee of ${usdText(input.min_fee_micros)}, ` +
        `${creditsText(input.included_credits_micros)} included credits and ${cap === null ? "no cap" : `a cap of ${creditsText(cap)} credits`}.`,
    );
    const plan = await client.createPlan(input);
    if (screen.json) screen.document(plan);
    else screen.say(`${plan.id} is stored. ${useOf(plan)}`);
    return exitCodes.ok;
  });
}

function inputOf(id: string, options: CreateOptions, like: Plan): PlanInput {
  const { created_at: _, ...values } = like;
  const { argo } = options;
  const limit = (typed: TypedLimit | undefined, otherwise: number | null) =>
    typed === "none" ? null : (typed ?? otherwise);
  const documentFeatures = {
    ...(options.storageMib !== undefined && {
      storage_bytes_max: options.storageMib === "none" ? null : options.storageMib * 1024 ** 2,
    }),
    ...(options.documents !== undefined && { documents_max: limit(options.documents, null) }),
    ...(options.documentBytes !== undefined && { document_bytes_max: limit(options.documentBytes, null) }),
  };
  return {
    ...values,
    id,
    name: options.name,
    argo_code: argo ?? null,
    max_concurrency: limit(options.concurrency, like.max_concurrency),
    max_rpm: limit(options.rpm, like.max_rpm),
    credit_cap_period_micros: limit(options.creditCap, like.credit_cap_period_micros),
    max_tokens_per_call: limit(options.tokensPerCall, like.max_tokens_per_call),
    max_run_tokens: limit(options.runTokens, like.max_run_tokens),
    max_iterations: limit(options.iterations, like.max_iterations),
    max_active_agents: limit(options.agents, like.max_active_agents),
    min_fee_micros: options.fee ?? like.min_fee_micros,
    activation_price_micros: options.activation ?? like.activation_price_micros,
    included_credits_micros: options.includedCredits ?? like.included_credits_micros,
    extra_credit_price_micros: options.extraCreditPrice ?? like.extra_credit_price_micros,
    spec: {
      unidades: options.unit ?? (argo === undefined ? {} : like.spec.unidades),
      features: { ...like.spec.features, ...documentFeatures },
    },
  };
}

async function assign(call: CommandCall, planId: string, options: PlatformOptions): Promise<ExitCode> {
  const { screen } = call;
  const assigned = await withOperator(call, options, async (client, findTenant) =>
    client.setTenantPlan(await findTenant(), planId),
  );
  if (screen.json) screen.document(assigned);
  else screen.say(`${assigned.tenant_id} has the plan ${assigned.plan_id}.`);
  return exitCodes.ok;
}

/** A base plan is assigned to a tenant; a plan of a vertical is subscribed to. */
const useOf = ({ id, argo_code: argo }: Plan): string =>
  argo === null
    ? `\`argosy platform plans assign ${id}\` gives it to a tenant.`
    : `\`argosy platform subscriptions create --argo ${argo} --plan ${id} --from <day>\` subscribes a tenant.`;
