import type { Coverage } from "../../contracts/translator/translation.ts";
import { StatusBadge, type Tone } from "../parts/text/status-badge.tsx";
import { coverageTexts } from "../texts/translator/translator.ts";

const tones: Readonly<Record<Coverage, Tone>> = {
  supported: "good",
  emulated: "accent",
  partial: "warn",
  unsupported: "bad",
};

/** How much of a section a cloud takes over. */
export const CoverageBadge = ({ coverage }: { coverage: Coverage }) => (
  <StatusBadge tone={tones[coverage]}>{coverageTexts[coverage]}</StatusBadge>
);
