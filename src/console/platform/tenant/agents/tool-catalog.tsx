import { Button, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { editorTexts as texts } from "../../../texts/platform/tenant.ts";
import { usePlatform } from "../../use-platform.ts";
import type { ToolEntry } from "./add-tool.ts";

interface ToolCatalogProps {
  tenantId: string;
  /** Names of the agent's tools. */
  present: readonly string[];
  add: (tool: ToolEntry) => void;
}

interface OfferedTool extends ToolEntry {
  description: string;
  writes: boolean;
}

export const catalogKey = (tenantId: string) => ["platform", tenantId, "catalog"] as const;

/** Tools that an agent may declare here; a click adds one to the text. */
export function ToolCatalog({ tenantId, present, add }: ToolCatalogProps) {
  const platform = usePlatform(tenantId);
  const query = useQuery({ queryKey: catalogKey(tenantId), queryFn: platform.catalog, staleTime: 300_000 });
  const [wanted, want] = useState("");
  return (
    <Loaded query={query} rows={4}>
      {({ builtins, integrations }) => {
        const offered: OfferedTool[] = [
          ...builtins.map((tool) => ({ ...tool, type: "builtin" as const })),
          ...integrations.flatMap(({ actions }) =>
            actions.map((action) => ({ ...action, type: "internal" as const })),
          ),
        ];
        const shown = offered.filter(({ name, description }) =>
          `${name} ${description}`.toLowerCase().includes(wanted.toLowerCase()),
        );
        return (
          <>
            <TextInput
              size="xs"
              mb="xs"
              aria-label={texts.searchTools}
              placeholder={texts.searchTools}
              value={wanted}
              onChange={(event) => want(event.currentTarget.value)}
            />
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
            <section className="ar-tn-catalog" tabIndex={0} aria-label={texts.toolsToAdd}>
              {shown.length === 0 && <p className="ar-soft">{texts.noSuchTool}</p>}
              {shown.map(({ name, type, description, writes }) => (
                <div className="ar-tn-catalog-tool" key={name}>
                  <div className="ar-tn-catalog-head">
                    <span className="ar-mono ar-break">{name}</span>
                    {writes && <StatusBadge tone="warn">{texts.writes}</StatusBadge>}
                    <Button
                      size="compact-xs"
                      variant="subtle"
                      disabled={present.includes(name)}
                      aria-label={present.includes(name) ? texts.addedTool(name) : texts.addTool(name)}
                      onClick={() => add({ name, type })}
                    >
                      {present.includes(name) ? texts.added : texts.add}
                    </Button>
                  </div>
                  <div className="ar-soft ar-tn-catalog-text">{description}</div>
                </div>
              ))}
            </section>
          </>
        );
      }}
    </Loaded>
  );
}
