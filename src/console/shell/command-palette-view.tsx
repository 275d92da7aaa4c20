import {
  Spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
  spotlight,
} from "@mantine/spotlight";
import { useQueries } from "@tanstack/react-query";
import { useEffect } from "react";
import { useLocation } from "wouter";
import { useServer } from "../api/use-server.tsx";
import type { Command } from "../area.ts";
import { Icon } from "../parts/icon.tsx";
import { shellTexts } from "../texts/shell.ts";
import { useEntries, useOpenAreas } from "./use-nav.ts";

/** Finds pages and the areas' own commands by a few letters; opens as soon as it is loaded. */
export default function CommandPaletteView() {
  useEffect(() => spotlight.open(), []);
  const [, go] = useLocation();
  const entries = useEntries();
  const server = useServer();
  const groups = useOpenAreas().flatMap(({ commands }) => commands ?? []);
  const found = useQueries({
    queries: groups.map(({ queryKey, read }) => ({ queryKey, queryFn: () => read(server) })),
  });
  const actionOf = ({ label, description, href, icon }: Command): SpotlightActionData => ({
    id: `${label} ${href}`,
    label,
    ...(description === undefined ? {} : { description }),
    leftSection: <Icon name={icon} />,
    onClick: () => go(href),
  });
  const actions: SpotlightActionGroupData[] = [
    {
      group: shellTexts.commandsGo,
      actions: entries.map((entry) => actionOf({ ...entry, description: entry.area.title })),
    },
    ...groups.map(({ group, entriesOf }, at) => ({
      group,
      actions: found[at]?.data === undefined ? [] : entriesOf(found[at].data).map(actionOf),
    })),
  ];
  return (
    <Spotlight
      actions={actions}
      shortcut={null}
      limit={12}
      scrollable
      highlightQuery
      attributes={{ content: { "aria-label": shellTexts.commands } }}
      nothingFound={shellTexts.nothingFound}
      searchProps={{
        leftSection: <Icon name="search" />,
        placeholder: shellTexts.search,
        "aria-label": shellTexts.searchLabel,
      }}
    />
  );
}
