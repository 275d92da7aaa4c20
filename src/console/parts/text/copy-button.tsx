import { ActionIcon, Tooltip } from "@mantine/core";
import { useEffect, useState } from "react";
import { partTexts } from "../../texts/parts.ts";
import { Icon } from "../icon.tsx";
import { copyText } from "./copy-text.ts";

const shownMs = 2_000;

/** Copies a text; the label names it. */
export function CopyButton({ value, label }: { value: string; label: string }) {
  const [outcome, setOutcome] = useState<"copied" | "refused">();
  useEffect(() => {
    if (outcome !== "copied") return;
    const timer = setTimeout(() => setOutcome(undefined), shownMs);
    return () => clearTimeout(timer);
  }, [outcome]);
  return (
    <Tooltip
      label={outcome === undefined ? label : partTexts[outcome]}
      {...(outcome === "refused" && { opened: true })}
    >
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={label}
        onClick={async ({ currentTarget }) =>
          setOutcome((await copyText(value, currentTarget)) ? "copied" : "refused")
        }
        onBlur={() => setOutcome(undefined)}
      >
        <Icon name={outcome === "copied" ? "check" : outcome === "refused" ? "warn" : "copy"} size={14} />
      </ActionIcon>
    </Tooltip>
  );
}
