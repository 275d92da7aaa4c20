import { Anchor, Button, Stack, TextInput } from "@mantine/core";
import { Link, useLocation } from "wouter";
import type { MemorySessionList } from "../../../../contracts/daemon/memory/memory.ts";
import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { Icon } from "../../../parts/icon.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { CursorTable } from "../../../parts/tables/cursor-table.tsx";
import type { Column } from "../../../parts/tables/data-table.tsx";
import { formatNumber } from "../../../parts/text/format.ts";
import { Instant } from "../../../parts/text/instant.tsx";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { memoryTexts as texts } from "../../../texts/studio/resources.ts";
import { useDaemon } from "../../use-daemon.ts";
import { memoryKeys, memoryPaths } from "../memory-paths.ts";

type Session = MemorySessionList["sessions"][number];

const columnsOf = (agent: string): Column<Session>[] => [
  {
    id: "session",
    header: texts.session,
    width: "minmax(120px, 2fr)",
    cell: ({ session_id, has_summary }) => (
      <>
        <Anchor component={Link} href={memoryPaths.session(agent, session_id)} fw={560}>
          {session_id}
        </Anchor>{" "}
        {has_summary && <StatusBadge tone="accent">{texts.summarised}</StatusBadge>}
      </>
    ),
  },
  {
    id: "messages",
    header: texts.messages,
    width: "90px",
    align: "end",
    cell: ({ turns }) => formatNumber(turns),
  },
  {
    id: "tokens",
    header: texts.tokens,
    width: "90px",
    align: "end",
    from: "sm",
    cell: ({ tokens }) => formatNumber(tokens),
  },
  {
    id: "begun",
    header: texts.begun,
    width: "120px",
    from: "md",
    cell: ({ first_at }) => <Instant iso={first_at} />,
  },
  { id: "last", header: texts.last, width: "112px", cell: ({ last_at }) => <Instant iso={last_at} /> },
];

/** Conversations of an agent, the most recently continued first. */
export function SessionList({ agent }: { agent: string }) {
  const daemon = useDaemon();
  const [, go] = useLocation();
  const [search, setSearch] = useUrlState("q");
  const wanted = search.trim();
  return (
    <Stack gap="sm">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (wanted !== "") go(memoryPaths.session(agent, wanted));
        }}
      >
        <TextInput
          type="search"
          label={texts.find}
          description={texts.findHint}
          leftSection={<Icon name="search" />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      </form>
      <CursorTable
        label={texts.sessions}
        columns={columnsOf(agent)}
        queryKey={memoryKeys.sessions(agent)}
        read={(page) => daemon.listSessions(agent, page)}
        rowsOf={({ sessions }) => sessions.filter(({ session_id }) => session_id.includes(wanted))}
        keyOf={({ session_id }) => session_id}
        empty={
          wanted === "" ? (
            <EmptyState text={texts.noSessions}>
              <Button component={Link} href={`/studio/playground?agent=${encodeURIComponent(agent)}`}>
                {texts.ask}
              </Button>
            </EmptyState>
          ) : (
            <EmptyState text={texts.noSuchSession}>
              <Button component={Link} variant="default" href={memoryPaths.session(agent, wanted)}>
                {texts.openSession(wanted)}
              </Button>
            </EmptyState>
          )
        }
      />
    </Stack>
  );
}
