import { Progress, Text } from "@mantine/core";
import type { StorageUse } from "../../contracts/platform/stored.ts";
import { storageUseTexts as texts } from "../texts/storage-use.ts";
import { Facts } from "./layout/facts.tsx";
import { Panel } from "./layout/panel.tsx";
import { formatBytes, formatPercent } from "./text/format.ts";

/** From this share of the limit on, the panel warns. */
const nearShare = 0.8;

/** What a tenant or an org stores, by what it is, and the limit of its plan. */
export function StoragePanel({
  storage: { stored_bytes: stored, limit_bytes: limit, areas },
}: {
  storage: StorageUse;
}) {
  const share = limit === null ? 0 : limit === 0 ? 1 : stored / limit;
  return (
    <Panel title={texts.title}>
      {limit !== null && (
        <Progress
          size="lg"
          mb="xs"
          aria-hidden="true"
          value={Math.min(100, share * 100)}
          color={colorOf(share)}
        />
      )}
      <Text>
        {limit === null
          ? texts.unlimited(formatBytes(stored))
          : texts.limited(formatBytes(stored), formatBytes(limit), formatPercent(share))}
      </Text>
      {share >= nearShare && (
        <Text mt={4} className={share >= 1 ? "ar-tn-bad-text" : "ar-tn-warn-text"}>
          {share >= 1 ? texts.full : texts.near}
        </Text>
      )}
      <Facts
        facts={areas.map(({ area, bytes }) => ({
          label: texts.areas[area] ?? area,
          value: formatBytes(bytes),
        }))}
      />
    </Panel>
  );
}

const colorOf = (share: number) => (share >= 1 ? "red" : share >= nearShare ? "brass.5" : "sea.6");
