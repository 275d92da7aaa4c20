import { useMantineColorScheme } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import {
  Spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
  spotlight,
} from "@mantine/spotlight";
import { useQueries } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { useServer } from "../api/use-server.tsx";
import type { Command, Commands } from "../area.ts";
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

/** Commands found for a group, in its order among the groups. */
interface FoundGroup {
  group: string;
  commands: readonly Command[];
}

/**
 * Asks the open areas for the commands that a text finds. A group keeps what it showed until the answer to a new text is there: a row that
 * vanished and came back would be gone just when it is clicked.
 */
function useFoundGroups(text: string): FoundGroup[] {
  const [location] = useLocation();
  const server = useServer();
  const { signedIn } = useSession();
  const asked = useOpenAreas().flatMap(({ commands = [], parametersOf }) => {
    const context = { signedIn, parameters: parametersOf?.(location) ?? {}, text };
    const keyFor = (one: Commands, text: string) => one.queryKey({ ...context, text });
    return commands.flatMap((one) => {
      const queryKey = keyFor(one, text);
      return queryKey === undefined ? [] : [{ ...one, context, queryKey, source: String(keyFor(one, "")) }];
    });
  });
  const answers = useQueries({
    queries: asked.map(({ queryKey, read, context }) => ({
      queryKey,
      queryFn: () => read(server, context),
      retry: false,
    })),
  });
  // `useQueries` keeps no earlier data: https://tanstack.com/query/latest/docs/framework/react/reference/useQueries
  const shown = useRef<ReadonlyMap<string, readonly Command[]>>(new Map());
  const found = asked.map(({ group, source }, at) => {
    const answer = answers[at];
    const kept = answer?.isError === true ? undefined : shown.current.get(source);
    return { group, source, commands: answer?.data ?? kept ?? [] };
  });
  useEffect(() => {
    shown.current = new Map(found.map(({ source, commands }) => [source, commands]));
  });
  return found;
}

/** Finds pages and the areas' own commands by a few letters; opens as soon as it is loaded. */
export default function CommandPaletteView({ showKeys }: { showKeys: () => void }) {
  useEffect(() => spotlight.open(), []);
  const [, go] = useLocation();
  const [typed, setTyped] = useState("");
  const [text] = useDebouncedValue(typed, 150);
  const entries = useEntries();
  const own = useOwnActions(showKeys);
  const found = useFoundGroups(text);
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
    ...found.map(({ group, commands }) => ({ group, actions: commands.map(actionOf) })),
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
