import { ActionIcon, CopyButton as MantineCopyButton, Tooltip } from "@mantine/core";
import { partTexts } from "../../texts/parts.ts";
import { Icon } from "../icon.tsx";

/** Copies a text; the label names it. */
export function CopyButton({ value, label }: { value: string; label: string }) {
  return (
    <MantineCopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? partTexts.copied : label}>
          <ActionIcon variant="subtle" color="gray" size="sm" onClick={copy} aria-label={label}>
            <Icon name={copied ? "check" : "copy"} size={14} />
          </ActionIcon>
        </Tooltip>
      )}
    </MantineCopyButton>
  );
}
