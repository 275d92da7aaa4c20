import { Button, Menu } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Conversation } from "../../../contracts/gateway/admin.ts";
import type { GatewayAdminClient } from "../../../contracts/gateway/client.ts";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { escapeUnseenName } from "../../parts/text/escape-unseen.ts";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { inboxTexts as texts } from "../../texts/gateway/inbox.ts";
import { useGateway } from "../use-gateway.ts";
import { AssignMenu } from "./assign-menu.tsx";
import { countsKey } from "./list-filters.tsx";
import { usePerson } from "./use-person.ts";
import { conversationKey, entriesKey } from "./use-thread.ts";

const hourMs = 60 * 60_000;
const snoozes = {
  hour: () => new Date(Date.now() + hourMs),
  tomorrow() {
    const morning = new Date();
    morning.setDate(morning.getDate() + 1);
    morning.setHours(9, 0, 0, 0);
    return morning;
  },
  week: () => new Date(Date.now() + 7 * 24 * hourMs),
};
const snoozeNames = ["hour", "tomorrow", "week"] as const;

/** Changes what the desk decided about a conversation, and shows it in all lists. */
export function useDecision(id: string) {
  const gateway = useGateway();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (decide: (gateway: GatewayAdminClient) => Promise<Conversation>) => decide(gateway),
    onSuccess: (changed) => {
      queries.setQueryData(conversationKey(id), changed);
      return Promise.all(
        [entriesKey(id), ["gateway", "conversations"], countsKey].map((queryKey) =>
          queries.invalidateQueries({ queryKey }),
        ),
      );
    },
  });
}

/** Whose conversation it is, why it needs a person, and whether the work on it is done. */
export function DeskBar({ conversation, close }: { conversation: Conversation; close: () => void }) {
  const { id, assignee, state, needs_person: needs, labels } = conversation;
  const me = usePerson();
  const decision = useDecision(id);
  const [isSnoozing, snooze] = useState(false);
  const isOpen = state === "open";
  const assign = (person: string | null) => decision.mutate((gateway) => gateway.assign(id, person));
  const turn = () => decision.mutate((gateway) => (isOpen ? gateway.resolve(id) : gateway.reopen(id)));
  // An open conversation counts as read, so it is left.
  const leaveUnread = () => decision.mutate((gateway) => gateway.markUnseen(id), { onSuccess: close });
  useHotkeys([
    [
      "a",
      () => {
        if (me !== undefined) assign(assignee === me ? null : me);
      },
    ],
    ["s", () => snooze(isOpen)],
    ["e", turn],
    ["m", () => leaveUnread()],
  ]);
  return (
    <>
      <div className="ar-inbox-desk">
        {needs !== null && <StatusBadge tone="warn">{texts.needs(needs.reason)}</StatusBadge>}
        {!isOpen && <StatusBadge tone="accent">{texts.states[state]}</StatusBadge>}
        <span className="ar-soft">
          {texts.assignee}: <bdi>{assignee === null ? texts.nobody : escapeUnseenName(assignee)}</bdi>
        </span>
        {labels.map((label) => (
          <bdi key={label} className="ar-inbox-label">
            {escapeUnseenName(label)}
          </bdi>
        ))}
        <span className="ar-inbox-actions">
          <AssignMenu assignee={assignee} assign={assign} />
          {isOpen && (
            <Menu opened={isSnoozing} onChange={snooze} withinPortal={false}>
              <Menu.Target>
                <Button size="compact-xs" variant="subtle" aria-keyshortcuts="S">
                  {texts.snooze}
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                {snoozeNames.map((name) => (
                  <Menu.Item
                    key={name}
                    onClick={() =>
                      decision.mutate((gateway) => gateway.snooze(id, snoozes[name]().toISOString()))
                    }
                  >
                    {texts.snoozes[name]}
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
          )}
          <Button size="compact-xs" variant="subtle" aria-keyshortcuts="M" onClick={leaveUnread}>
            {texts.markUnread}
          </Button>
          <Button
            size="compact-xs"
            variant="light"
            aria-keyshortcuts="E"
            loading={decision.isPending}
            onClick={turn}
          >
            {isOpen ? texts.resolve : texts.reopen}
          </Button>
        </span>
      </div>
      {decision.isError && <FailureView thrown={decision.error} />}
    </>
  );
}
