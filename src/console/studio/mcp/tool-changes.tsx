import { Alert } from "@mantine/core";
import type { McpServerView } from "../../../contracts/daemon/agents.ts";
import { Icon } from "../../shell/icon.tsx";
import { mcpTexts as texts } from "../../texts/studio-parts.ts";

/** Differences between a server's tools and those it was first seen with. */
export function ToolChanges({ changed }: { changed: NonNullable<McpServerView["changed"]> }) {
  const lists: readonly [string, readonly string[]][] = [
    [texts.added, changed.added],
    [texts.altered, changed.changed],
    [texts.removed, changed.removed],
  ];
  return (
    <Alert variant="outline" className="ar-warning" icon={<Icon name="warn" />} title={texts.changed}>
      {lists.map(
        ([label, names]) =>
          names.length > 0 && (
            <div key={label} className="ar-break">
              {label}: <span className="ar-mono">{names.join(", ")}</span>
            </div>
          ),
      )}
    </Alert>
  );
}
