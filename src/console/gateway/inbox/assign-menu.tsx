import { Autocomplete, Button, Menu } from "@mantine/core";
import { type InfiniteData, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ConversationPage } from "../../../contracts/gateway/admin.ts";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { escapeUnseenName } from "../../parts/text/escape-unseen.ts";
import { inboxTexts as texts } from "../../texts/gateway/inbox.ts";
import { usePerson } from "./use-person.ts";

interface AssignMenuProps {
  assignee: string | null;
  assign: (person: string | null) => void;
}

const namedMax = 8;

/** Gives a conversation to oneself, to a colleague, or to nobody. */
export function AssignMenu({ assignee, assign }: AssignMenuProps) {
  const me = usePerson();
  const colleagues = useColleagues().filter((name) => name !== me && name !== assignee);
  const [isAsking, ask] = useState(false);
  return (
    <>
      <Menu withinPortal={false}>
        <Menu.Target>
          <Button size="compact-xs" variant="subtle" aria-keyshortcuts="A">
            {texts.assign}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {me !== undefined && assignee !== me && (
            <Menu.Item onClick={() => assign(me)}>{texts.assignToMe}</Menu.Item>
          )}
          {assignee !== null && <Menu.Item onClick={() => assign(null)}>{texts.assignNobody}</Menu.Item>}
          {colleagues.slice(0, namedMax).map((name) => (
            <Menu.Item key={name} onClick={() => assign(name)}>
              <bdi>{escapeUnseenName(name)}</bdi>
            </Menu.Item>
          ))}
          <Menu.Item onClick={() => ask(true)}>{texts.assignTo}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isAsking && <AssignDialog names={colleagues} assign={assign} close={() => ask(false)} />}
    </>
  );
}

function AssignDialog({
  names,
  assign,
  close,
}: {
  names: readonly string[];
  assign: AssignMenuProps["assign"];
  close: () => void;
}) {
  const [name, setName] = useState("");
  return (
    <FormDialog
      title={texts.assign}
      action={texts.assign}
      isComplete={name.trim() !== ""}
      send={async () => assign(name.trim())}
      close={close}
    >
      <Autocomplete
        label={texts.person}
        description={texts.personHint}
        data-autofocus
        maxLength={120}
        data={[...names]}
        value={name}
        onChange={setName}
      />
    </FormDialog>
  );
}

/** People who have conversations in the lists that this page has read. */
function useColleagues(): string[] {
  const read = useQueryClient().getQueriesData<InfiniteData<ConversationPage>>({
    queryKey: ["gateway", "conversations"],
  });
  const names = read.flatMap(([, data]) =>
    (data?.pages ?? []).flatMap(({ conversations }) =>
      conversations.flatMap(({ assignee }) => assignee ?? []),
    ),
  );
  return [...new Set(names)].sort((a, b) => a.localeCompare(b));
}
