import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { OwnSession, OwnSessionList } from "../../contracts/sessions.ts";
import { sessionTexts as texts } from "../texts/platform/account.ts";
import { Confirm } from "./dialogs/confirm.tsx";
import { Panel } from "./layout/panel.tsx";
import { notify } from "./notices.tsx";
import { FailureView } from "./states/failure-view.tsx";
import { Loaded } from "./states/loaded.tsx";
import { type PlainColumn, PlainTable } from "./tables/plain-table.tsx";
import { RowButton } from "./tables/row-button.tsx";
import { clientName } from "./text/client-name.ts";
import { Instant } from "./text/instant.tsx";

interface OwnSessionsPanelProps {
  queryKey: readonly unknown[];
  /** Calls of the service that the sessions belong to. */
  calls: {
    listSessions(): Promise<OwnSessionList>;
    endSession(id: string): Promise<unknown>;
    endOtherSessions(): Promise<unknown>;
  };
}

/** The sessions of the signed-in person, each of which can be ended. The one of this page ends by signing out. */
export function OwnSessionsPanel({ queryKey, calls }: OwnSessionsPanelProps) {
  const queries = useQueryClient();
  const query = useQuery({ queryKey, queryFn: () => calls.listSessions() });
  const [isEnding, setEnding] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const change = async (work: () => Promise<unknown>, text: string) => {
    await work();
    await queries.invalidateQueries({ queryKey });
    notify(text);
  };
  const end = async ({ id }: OwnSession) => {
    setFailure(undefined);
    try {
      await change(() => calls.endSession(id), texts.ended);
    } catch (thrown) {
      setFailure(thrown);
    }
  };
  const others = query.data?.sessions.some(({ current }) => !current);
  return (
    <Panel
      title={texts.title}
      flush
      actions={
        others && (
          <Button size="xs" variant="default" onClick={() => setEnding(true)}>
            {texts.endOthers}
          </Button>
        )
      }
    >
      {failure !== undefined && <FailureView thrown={failure} />}
      <Loaded query={query} rows={2}>
        {({ sessions }) => (
          <PlainTable label={texts.title} columns={columnsFor(end)} rows={sessions} keyOf={({ id }) => id} />
        )}
      </Loaded>
      <Confirm
        opened={isEnding}
        title={texts.endOthersTitle}
        text={texts.endOthersText}
        action={texts.endOthers}
        onClose={() => setEnding(false)}
        onConfirm={() => change(() => calls.endOtherSessions(), texts.othersEnded)}
      />
    </Panel>
  );
}

const nameOf = ({ client }: OwnSession) => (client === null ? texts.unknown : clientName(client));

const columnsFor = (end: (session: OwnSession) => Promise<void>): PlainColumn<OwnSession>[] => [
  {
    id: "client",
    header: texts.client,
    className: "ar-break",
    cell: (session) => (
      <>
        {session.current && <strong>{texts.current} · </strong>}
        <span className="ar-soft" title={session.client ?? undefined}>
          {nameOf(session)}
        </span>
      </>
    ),
  },
  { id: "address", header: texts.address, from: "md", cell: ({ address }) => address ?? texts.unknown },
  {
    id: "signed-in",
    header: texts.signedIn,
    from: "md",
    cell: ({ created_at }) => <Instant iso={created_at} />,
  },
  { id: "used", header: texts.lastUsed, cell: ({ last_used_at }) => <Instant iso={last_used_at} /> },
  {
    id: "actions",
    header: texts.actions,
    hidesHeader: true,
    align: "end",
    cell: (session) =>
      session.current ? null : (
        <RowButton
          label={texts.end}
          title={texts.endTitle(nameOf(session))}
          isDanger
          onClick={() => void end(session)}
        />
      ),
  },
];
