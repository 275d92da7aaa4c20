import { Button, TagsInput, Textarea } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Conversation } from "../../../contracts/gateway/admin.ts";
import { isSendKey } from "../../parts/inputs/send-key.ts";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { escapeUnseenName } from "../../parts/text/escape-unseen.ts";
import { Instant } from "../../parts/text/instant.tsx";
import { inboxTexts as texts } from "../../texts/gateway/inbox.ts";
import { useGateway } from "../use-gateway.ts";
import { useDecision } from "./desk-bar.tsx";
import { entriesKey } from "./use-thread.ts";

/** Labels, private notes and the history of decisions. */
export function DeskNotes({
  conversation,
  isFocused = false,
}: {
  conversation: Conversation;
  /** True if the labels get the focus: the view was opened by their key. */
  isFocused?: boolean;
}) {
  const { id, labels } = conversation;
  const gateway = useGateway();
  const queries = useQueryClient();
  const entries = useQuery({ queryKey: entriesKey(id), queryFn: () => gateway.listDeskEntries(id) });
  const decision = useDecision(id);
  const [text, setText] = useState("");
  const noting = useMutation({
    mutationFn: (note: string) => gateway.addNote(id, note),
    onSuccess: (_, noted) => {
      setText((now) => (now === noted ? "" : now));
      return queries.invalidateQueries({ queryKey: entriesKey(id) });
    },
  });
  return (
    <div className="ar-inbox-notes">
      <TagsInput
        size="xs"
        label={texts.labels}
        autoFocus={isFocused}
        placeholder={texts.addLabel}
        maxTags={20}
        value={labels}
        onChange={(chosen) => decision.mutate((client) => client.setLabels(id, chosen))}
      />
      {decision.isError && <FailureView thrown={decision.error} />}
      <section aria-label={texts.notes}>
        <Loaded query={entries} rows={2}>
          {({ entries: list }) =>
            list.length === 0 ? (
              <p className="ar-soft">{texts.noNotes}</p>
            ) : (
              <ul className="ar-inbox-entries">
                {list.map(({ id: key, by, kind, text: said, at }) => (
                  <li key={key} data-kind={kind}>
                    <b dir="auto">{by === null ? texts.somebody : escapeUnseenName(by)}</b>{" "}
                    <span className="ar-break" dir="auto">
                      {texts.entry(kind, said)}
                    </span>{" "}
                    <span className="ar-soft">
                      <Instant iso={at} />
                    </span>
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </section>
      <form
        className="ar-inbox-write"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== "" && !noting.isPending) noting.mutate(text);
        }}
      >
        <Textarea
          size="xs"
          aria-label={texts.note}
          placeholder={texts.notePlaceholder}
          autosize
          minRows={1}
          maxRows={4}
          maxLength={4096}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (!isSendKey(event)) return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }}
        />
        <Button
          type="submit"
          size="xs"
          variant="default"
          loading={noting.isPending}
          disabled={text.trim() === ""}
        >
          {texts.addNote}
        </Button>
      </form>
      {noting.isError && <FailureView thrown={noting.error} />}
    </div>
  );
}
