import { useMantineColorScheme } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import {
  Spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
  spotlight,
} from "@mantine/spotlight";
import { keepPreviousData, useQueries } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { useServer } from "../api/use-server.tsx";
import type { Command } from "../area.ts";
import { Icon } from "../parts/icon.tsx";
import { notify } from "../parts/notices.tsx";
import { useSession } from "../session/session.tsx";
import { commandTexts, shellTexts } from "../texts/shell.ts";
import { useEntries, useOpenAreas } from "./use-nav.ts";

/** Actions of the console itself. */
function useOwnActions(showKeys: () => void): SpotlightActionData[] {
  const { signOut } = useSession();
  const { setColorScheme } = useMantineColorScheme();
  const [, go] = useLocation();
  const schemes = [
    { value: "light", label: shellTexts.light, icon: "sun" },
    { value: "dark", label: shellTexts.dark, icon: "moon" },
    { value: "auto", label: shellTexts.system, icon: "system" },
  ] as const;
  return [
    ...schemes.map(({ value, label, icon }) => ({
      id: `theme ${value}`,
      label: commandTexts.theme(label),
      keywords: commandTexts.themeWords,
      leftSection: <Icon name={icon} />,
      onClick: () => setColorScheme(value),
    })),
    {
      id: "keys",
      label: commandTexts.keys,
      leftSection: <Icon name="book" />,
      onClick: showKeys,
    },
    {
      id: "sign out",
      label: shellTexts.signOut,
      leftSection: <Icon name="close" />,
      onClick: () =>
        void signOut().then(
          () => go("/"),
          () => notify(shellTexts.stillSignedIn),
        ),
    },
  ];
}

/** Finds pages and the areas' own commands by a few letters; opens as soon as it is loaded. */
export default function CommandPaletteView({ showKeys }: { showKeys: () => void }) {
  useEffect(() => spotlight.open(), []);
  const [location, go] = useLocation();
  const [typed, setTyped] = useState("");
  const [text] = useDebouncedValue(typed, 150);
  const entries = useEntries();
  const server = useServer();
  const { signedIn } = useSession();
  const own = useOwnActions(showKeys);
  const asked = useOpenAreas().flatMap(({ commands = [], parametersOf }) => {
    const context = { signedIn, parameters: parametersOf?.(location) ?? {}, text };
    return commands.flatMap((commands) => {
      const queryKey = commands.queryKey(context);
      return queryKey === undefined ? [] : [{ ...commands, context, queryKey }];
    });
  });
  const found = useQueries({
    queries: asked.map(({ queryKey, read, context }) => ({
      queryKey,
      queryFn: () => read(server, context),
      placeholderData: keepPreviousData,
      retry: false,
    })),
  });
  const actionOf = ({ label, description, href, icon, keywords }: Command): SpotlightActionData => ({
    id: `${label} ${href}`,
    label,
    ...(description === undefined ? {} : { description }),
    ...(keywords === undefined ? {} : { keywords }),
    leftSection: <Icon name={icon} />,
    onClick: () => go(href),
  });
  const actions: SpotlightActionGroupData[] = [
    {
      group: shellTexts.commandsGo,
      actions: entries.map((entry) => actionOf({ ...entry, description: entry.area.title })),
    },
    ...asked.map(({ group }, at) => ({ group, actions: (found[at]?.data ?? []).map(actionOf) })),
    { group: commandTexts.console, actions: own },
  ];
  return (
    <Spotlight
      actions={actions}
      shortcut={null}
      limit={24}
      onQueryChange={setTyped}
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
