import { Progress, Text } from "@mantine/core";
import type { UsageReport } from "../../../../contracts/platform/observability.ts";
import { Panel } from "../../../parts/layout/panel.tsx";
import { formatCredits, formatPercent } from "../../../parts/text/format.ts";
import { usageTexts as texts } from "../../../texts/platform/tenant-runs.ts";
import { creditShares } from "./credit-shares.ts";

/** Shares of the plan's monthly credits that are used, and reserved by running runs. */
export function CreditMeter({ credits }: { credits: UsageReport["credits"] }) {
  const { charged_micros, held_micros, cap_micros } = credits;
  const { charged, held, tone } = creditShares(credits);
  return (
    <Panel title={texts.planCredits}>
      {cap_micros !== null && (
        <Progress.Root size="lg" mb="xs" aria-hidden="true">
          <Progress.Section value={charged * 100} color={colors[tone]} />
          <Progress.Section value={held * 100} color="gray.4" />
        </Progress.Root>
      )}
      <Text>
        {cap_micros === null
          ? texts.uncapped(formatCredits(charged_micros))
          : texts.capped(formatCredits(charged_micros), formatCredits(cap_micros), formatPercent(charged))}
        {held_micros > 0 && ` ${texts.held(formatCredits(held_micros))}`}
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
