import { Progress, Text } from "@mantine/core";
import { creditLimit } from "../../../../contracts/platform/billing/credit-limit.ts";
import type { UsageReport } from "../../../../contracts/platform/observability.ts";
import { Panel } from "../../../parts/layout/panel.tsx";
import { formatPercent } from "../../../parts/text/format.ts";
import { creditsText } from "../../../parts/text/money.ts";
import { usageTexts as texts } from "../../../texts/platform/tenant-runs.ts";

/** Shares of the plan's monthly credits that are used, and reserved by running runs. */
export function CreditMeter({ credits }: { credits: UsageReport["credits"] }) {
  const { charged_micros, held_micros, grants_left_micros } = credits;
  const limit = creditLimit(credits);
  const { charged, held, tone } = creditShares(credits);
  return (
    <Panel title={texts.planCredits}>
      {limit !== null && (
        <Progress.Root size="lg" mb="xs" aria-hidden="true">
          <Progress.Section value={charged * 100} color={colors[tone]} />
          <Progress.Section value={held * 100} color="gray.4" />
        </Progress.Root>
      )}
      <Text>
        {limit === null
          ? texts.uncapped(creditsText(charged_micros))
          : texts.capped(creditsText(charged_micros), creditsText(limit), formatPercent(charged))}
        {held_micros > 0 && ` ${texts.held(creditsText(held_micros))}`}
        {grants_left_micros > 0 && ` ${texts.granted(creditsText(grants_left_micros))}`}
      </Text>
      {tone !== "calm" && (
        <Text mt={4} className={tone === "full" ? "ar-tn-bad-text" : "ar-tn-warn-text"}>
          {texts.meter[tone]}
        </Text>
      )}
    </Panel>
  );
}

const colors = { calm: "sea.6", near: "brass.5", full: "red" };

export interface CreditShares {
  /** Share of the cap, 0 to 1. */
  charged: number;
  /** Share of the cap, at most the part that is left. */
  held: number;
  tone: "calm" | "near" | "full";
}

/** From this share on, run answers report the usage, and so does the page. */
const nearShare = 0.8;

/** Computes the used shares of a month's credits. A cap of 0 allows no run, so it counts as full. */
export function creditShares(credits: UsageReport["credits"]): CreditShares {
  const { charged_micros, held_micros } = credits;
  const limit = creditLimit(credits);
  if (limit === null) return { charged: 0, held: 0, tone: "calm" };
  if (limit === 0) return { charged: 1, held: 0, tone: "full" };
  const charged = Math.min(1, charged_micros / limit);
  const held = Math.min(1 - charged, held_micros / limit);
  if (charged >= 1) return { charged, held, tone: "full" };
  return { charged, held, tone: charged >= nearShare ? "near" : "calm" };
}
