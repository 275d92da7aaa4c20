import { closeDue } from "../../src/services/platform/billing/closing-job.ts";
import { addPlans, basePlanBody, chargeRun, plan, tariff } from "./billing.ts";
import {
  billOf,
  dayText,
  halfUp,
  modelBill,
  planOf,
  type SubscriptionStory,
  type TenantStory,
} from "./billing-model.ts";
import { seeded } from "./campaign/seeded.ts";
import { asOperator, type TestPlatform, type TestTenant } from "./platform.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const graceMs = 48 * hourMs;

const units = (docs: number, pages?: number) => ({
  features: {},
  unidades: {
    "erp.docs": { incluidas: docs, excedente_micros: 33_333 },
    ...(pages !== undefined && { "erp.pages": { incluidas: pages, excedente_micros: 7 } }),
  },
});
const noCap = { credit_cap_period_micros: null };
const erpPlans = [
  plan({ id: "erp_a", spec: units(10), ...noCap }),
  plan({ id: "erp_b", min_fee_micros: 9_999_999, activation_price_micros: 0, spec: units(0, 40), ...noCap }),
];
const crmPlans = [
  plan({ id: "crm_a", argo_code: "crm", min_fee_micros: 1, spec: { unidades: {}, features: {} }, ...noCap }),
];
const basePlans = [
  basePlanBody({ id: "base_a", min_fee_micros: 10_000_001, extra_credit_price_micros: 1_234_567, ...noCap }),
  basePlanBody({ id: "base_b", min_fee_micros: 77, included_credits_micros: 0, ...noCap }),
];
const free = basePlanBody({
  id: "plan_free",
  min_fee_micros: 0,
  included_credits_micros: 5_000_000,
  extra_credit_price_micros: 0,
});

interface Actor {
  tenant: TestTenant;
  story: TenantStory;
}

/** A year of months from 2027-12 on with random actions of tenants. The bills are compared with the model's throughout. */
export class BillingYear {
  readonly #platform: TestPlatform;
  readonly #random: () => number;
  readonly #tariffs: { at: number; rate: bigint }[] = [];
  readonly #actors: Actor[] = [];
  #eventCount = 0;
  /** Number of compared bills, and their differences. */
  compared = 0;
  differences: string[] = [];
  /** Number of answers by action and outcome, so that a test can check that all of them occurred. */
  readonly done = new Map<string, number>();

  constructor(platform: TestPlatform, seed: number) {
    this.#platform = platform;
    this.#random = seeded(seed);
  }

  async live(): Promise<void> {
    const { clock } = this.#platform;
    await clock.advance(Date.parse("2027-12-01T00:00:00Z") - clock.now().getTime());
    await addPlans(this.#platform, ...erpPlans, ...crmPlans, ...basePlans);
    await this.#fileTariff();
    for (let count = 0; count < 3; count++) await this.#addTenant();
    const end = Date.parse("2028-12-01T00:00:00Z");
    while (this.#nowMs < end) {
      await clock.advance(Math.floor(this.#random() * 16 * hourMs) + 1);
      await closeDue(this.#platform.deps);
      await this.#act();
      if (this.#random() < 0.05) await this.#compare(dayText(this.#nowMs).slice(0, 7));
    }
    await clock.advance(3 * dayMs);
    await closeDue(this.#platform.deps);
    for (let month = 0; month < 12; month++) {
      await this.#compare(new Date(Date.UTC(2027, 11 + month, 1)).toISOString().slice(0, 7));
    }
  }

  get #nowMs(): number {
    return this.#platform.clock.now().getTime();
  }

  async #act(): Promise<void> {
    const actor = this.#pick(this.#actors);
    const chance = this.#random();
    if (actor.story.deletedAt !== undefined) return;
    if (chance < 0.35) await this.#useUnits(actor);
    else if (chance < 0.65) await this.#run(actor);
    else if (chance < 0.77) await this.#subscribe(actor);
    else if (chance < 0.84) await this.#changePlan(actor);
    else if (chance < 0.89) await this.#cancel(actor);
    else if (chance < 0.95) await this.#giveBasePlan(actor);
    else if (chance < 0.98) await this.#fileTariff();
    else if (this.#actors.length < 6) await this.#addTenant();
    else await this.#delete(actor);
  }

  async #addTenant(): Promise<void> {
    const tenant = await this.#platform.tenant();
    const base = [{ at: this.#nowMs, plan: free }];
    const story = { id: tenant.id, createdAt: this.#nowMs, base, subscriptions: [], runs: [] };
    this.#actors.push({ tenant, story });
  }

  async #fileTariff(): Promise<void> {
    const rate = Math.floor(this.#random() * 900_000) + 1;
    const body = tariff({ credits_per_1k_in_micros: rate });
    await this.#operate("POST", "/tariffs", body, 201);
    this.#tariffs.push({ at: this.#nowMs, rate: BigInt(rate) });
  }

  async #giveBasePlan({ story }: Actor): Promise<void> {
    const given = this.#pick([free, ...basePlans]);
    await this.#operate("PUT", `/tenants/${story.id}/plan`, { plan_id: given.id }, 200);
    story.base.push({ at: this.#nowMs, plan: given });
  }

  async #subscribe({ story }: Actor): Promise<void> {
    const [argo, offered] = this.#pick([
      ["erp", erpPlans],
      ["crm", crmPlans],
    ] as const);
    const given = this.#pick(offered);
    const desde = dayText(this.#nowMs + Math.floor(this.#random() * 24 - 4) * dayMs);
    const status = this.#subscribeStatus(story, argo, desde);
    const body = { tenant_id: story.id, argo_code: argo, plan_id: given.id, desde };
    const { id } = await this.#operate("POST", "/subscriptions", body, status);
    if (status !== 201) return;
    const plans = [{ at: Date.parse(`${desde.slice(0, 7)}-01`), plan: given }];
    story.subscriptions.push({ id, argo, desde, plans, events: [] });
  }

  #subscribeStatus({ createdAt, subscriptions }: TenantStory, argo: string, desde: string): number {
    if (desde < dayText(createdAt)) return 422;
    const active = subscriptions.filter((each) => each.argo === argo && !this.#isCancelled(each));
    const isActive = active.some(({ lastDay }) => lastDay === undefined || lastDay >= desde);
    return this.#isClosed(desde) || isActive ? 409 : 201;
  }

  #isCancelled({ endsAt }: SubscriptionStory): boolean {
    return endsAt !== undefined && endsAt <= this.#nowMs;
  }

  async #changePlan(actor: Actor): Promise<void> {
    const subscription = this.#anySubscription(actor, "erp");
    if (subscription === undefined) return;
    const given = this.#pick(erpPlans);
    const at = this.#pick(["now", "period_end"] as const);
    const first = Date.parse(`${subscription.desde.slice(0, 7)}-01`);
    const next = this.#nextMonth();
    const from = at === "now" ? Math.max(this.#nowMs, first) : Math.max(next, first);
    const hasEnded = this.#isCancelled(subscription) || dayText(from) > (subscription.lastDay ?? "9999");
    const path = `/subscriptions/${subscription.id}/plan`;
    await this.#operate("PUT", path, { plan_id: given.id, at }, hasEnded ? 409 : 200);
    if (hasEnded) return;
    subscription.plans = [...subscription.plans.filter((each) => each.at < from), { at: from, plan: given }];
  }

  #nextMonth(): number {
    const now = new Date(this.#nowMs);
    return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
  }

  async #cancel(actor: Actor): Promise<void> {
    const subscription = this.#anySubscription(actor);
    if (subscription === undefined) return;
    const at = this.#pick(["now", "period_end"] as const);
    const isRefused = at === "now" ? this.#isCancelled(subscription) : subscription.endsAt !== undefined;
    const path = `/subscriptions/${subscription.id}/cancel`;
    await this.#operate("POST", path, { at }, isRefused ? 409 : 200);
    if (isRefused) return;
    const [year = 0, month = 0] = subscription.desde.split("-").map(Number);
    const isAhead = subscription.desde > dayText(this.#nowMs);
    const periodEnd = isAhead ? Date.UTC(year, month, 1) : this.#nextMonth();
    subscription.endsAt = at === "now" ? this.#nowMs : periodEnd;
    subscription.lastDay = dayText(at === "now" ? this.#nowMs : periodEnd - 1);
  }

  async #delete({ tenant, story }: Actor): Promise<void> {
    const { sessions } = this.#platform.deps.storage.tables;
    const rows = await this.#platform.deps.storage.read.select().from(sessions);
    const sessionId = rows.find(({ userId }) => userId === tenant.userId)?.id ?? "";
    const token = await this.#platform.deps.tokens.issue({ userId: tenant.userId, sessionId });
    const headers = { authorization: `Bearer ${token}` };
    await this.#call("DELETE", `/api/v1/tenants/${story.id}`, { headers }, 204);
    story.deletedAt = this.#nowMs;
    for (const subscription of story.subscriptions) {
      if (this.#isCancelled(subscription)) continue;
      subscription.endsAt = this.#nowMs;
      subscription.lastDay = dayText(this.#nowMs);
    }
  }

  async #useUnits(actor: Actor): Promise<void> {
    const subscription = this.#anySubscription(actor, "erp");
    if (subscription === undefined) return;
    const at = this.#nowMs - Math.floor(this.#random() ** 2 * 6 * dayMs);
    const day = dayText(at);
    const unit = this.#pick(["erp.docs", "erp.pages"]);
    const quantity = Math.floor(this.#random() * 30) + 1;
    const isWithin = day >= subscription.desde && day <= (subscription.lastDay ?? day);
    const status = this.#eventStatus(subscription, unit, at, isWithin);
    const body = {
      event_id: `e${this.#eventCount++}`,
      subscription_id: subscription.id,
      unidad: unit,
      cantidad: quantity,
      ocurrido_en: new Date(at).toISOString(),
    };
    const headers = actor.tenant.asProgram;
    await this.#call("POST", "/api/v1/usage/events", { headers, body }, status);
    if (status === 201) subscription.events.push({ at, unit, quantity: BigInt(quantity) });
  }

  #eventStatus(subscription: SubscriptionStory, unit: string, at: number, isWithin: boolean): number {
    if (!isWithin) return 422;
    if (this.#isClosed(dayText(at))) return 409;
    return unit in planOf(subscription, at).spec.unidades ? 201 : 422;
  }

  async #run(actor: Actor): Promise<void> {
    const { story } = actor;
    const subscription = this.#random() < 0.5 ? this.#anySubscription(actor) : undefined;
    const today = dayText(this.#nowMs);
    const { desde = "9999", lastDay = today, id = null } = subscription ?? {};
    const subscriptionId = desde <= today && today <= lastDay ? id : null;
    const tokens = Math.floor(this.#random() * 20_000);
    const charged = await chargeRun(this.#platform, story.id, { tokens, subscriptionId }).catch((refusal) => {
      // The free plan has a cap.
      if (
        refusal.code === "credit_budget_exhausted" ||
        refusal.code === "subscription_credit_budget_exhausted"
      )
        return;
      throw refusal;
    });
    this.#count(charged === undefined ? "run refused" : "run charged");
    if (charged === undefined) return;
    const { rate } = this.#tariffs.findLast(({ at }) => at <= this.#nowMs) as { rate: bigint };
    const price = halfUp(BigInt(tokens) * rate, 1000n);
    // If little of a cap is left, the charge is limited to the hold.
    const micros = BigInt(charged) < price && story.base.at(-1)?.plan === free ? BigInt(charged) : price;
    story.runs.push({ at: this.#nowMs, subscriptionId, micros });
  }

  async #compare(month: string): Promise<void> {
    for (const { story } of this.#actors) {
      const path = `/api/v1/admin/tenants/${story.id}/statement?period=${month}`;
      const { body } = await this.#platform.call("GET", path, { headers: asOperator });
      const expected = modelBill(story, month, dayText(this.#nowMs));
      this.compared++;
      if (!Bun.deepEquals(billOf(body), expected)) {
        this.differences.push(Bun.inspect({ month, tenant: story.id, got: billOf(body), expected }));
      }
    }
  }

  /** Returns true if the month of a day is closed, 48 hours after its end. */
  #isClosed(day: string): boolean {
    const [year = 0, month = 0] = day.split("-").map(Number);
    return Date.UTC(year, month, 1) + graceMs <= this.#nowMs;
  }

  #anySubscription({ story }: Actor, argo?: string): SubscriptionStory | undefined {
    const all = story.subscriptions.filter((each) => argo === undefined || each.argo === argo);
    // Mostly the latest: the others are over.
    return this.#random() < 0.8 ? all.at(-1) : this.#pick(all);
  }

  async #operate(method: string, path: string, body: unknown, status: number) {
    return this.#call(method, `/api/v1/admin${path}`, { headers: asOperator, body }, status);
  }

  async #call(
    method: string,
    path: string,
    options: { headers: Record<string, string>; body?: unknown },
    status: number,
  ) {
    const answer = await this.#platform.call(method, path, options);
    this.#count(`${method} ${path.replaceAll(/[0-9a-f-]{36}/g, ":id")} ${answer.status}`);
    if (answer.status !== status) {
      throw new Error(
        `${method} ${path} at ${this.#platform.clock.now().toISOString()}: ${answer.status}, not ${status}: ${answer.text}`,
      );
    }
    return answer.body;
  }

  #count(what: string): void {
    this.done.set(what, (this.done.get(what) ?? 0) + 1);
  }

  #pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.#random() * items.length)] as T;
  }
}
