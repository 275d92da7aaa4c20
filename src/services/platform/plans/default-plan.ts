import { freePlanId } from "../../../contracts/platform/billing/plan-features.ts";
import type { PlanRow } from "./schema.ts";

/** Base plan of every tenant without another one. */
export const defaultPlanId = freePlanId;

/** Plan written at the first start. 1 credit = 1,000,000 micros. */
export const defaultPlan: Omit<PlanRow, "createdAt"> = {
  id: defaultPlanId,
  name: "Free",
  argoCode: null,
  maxConcurrency: 10,
  maxRpm: 60,
  creditCapPeriodMicros: 5_000_000,
  maxTokensPerCall: 2048,
  maxRunTokens: 64_000,
  maxIterations: 10,
  maxActiveAgents: 25,
  minFeeMicros: 0,
  activationPriceMicros: 0,
  includedCreditsMicros: 5_000_000,
  extraCreditPriceMicros: 0,
  spec: { unidades: {}, features: {} },
};
