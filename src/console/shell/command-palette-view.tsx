import { Spotlight, type SpotlightActionGroupData, spotlight } from "@mantine/spotlight";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useLocation } from "wouter";
import { useDaemon } from "../api/use-server.tsx";
import { areaLabels } from "../pages.ts";
import { useSession } from "../session/session.tsx";
import { shellTexts } from "../texts/shell.ts";
import { Icon } from "./icon.tsx";
import { useEntries } from "./nav-pages.ts";

/** Finds pages and agents by a few letters; opens as soon as it is loaded. */
export default function CommandPaletteView() {
  useEffect(() => spotlight.open(), []);
  const [, go] = useLocation();
  const entries = useEntries();
  const { signedIn } = useSession();
  const daemon = useDaemon();
  const { data } = useQuery({
    queryKey: ["daemon", "agents"],
    queryFn: daemon.listAgents,
    enabled: signedIn.daemon,
  });
  const actions: SpotlightActionGroupData[] = [
    {
      group: shellTexts.commandsGo,
      actions: entries.map(({ page, href }) => ({
        id: href,
        label: page.nav?.label ?? href,
        description: areaLabels[page.area],
        leftSection: page.nav && <Icon name={page.nav.icon} />,
        onClick: () => go(href),
      })),
    },
    {
      group: shellTexts.commandsAgents,
      actions: (data?.agents ?? []).map(({ name, description }) => ({
        id: `agent ${name}`,
        label: name,
        description,
        leftSection: <Icon name="agents" />,
        onClick: () => go(`/studio/agents/${encodeURIComponent(name)}`),
      })),
    },
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
