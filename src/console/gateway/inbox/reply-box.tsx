import { Button, Select, Textarea } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import type { Conversation } from "../../../contracts/gateway/admin.ts";
import { fillCanned } from "../../../contracts/gateway/desk.ts";
import { Icon } from "../../parts/icon.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { randomHex } from "../../parts/text/random-hex.ts";
import { inboxTexts as texts } from "../../texts/gateway/inbox.ts";
import { useGateway } from "../use-gateway.ts";
import { usePerson } from "./use-person.ts";
import { threadKey } from "./use-thread.ts";

/** A reply that is being written. */
export interface ReplyDraft {
  text: string;
  /** The same text sent again after a lost answer is the same message. */
  idempotencyKey: string;
}

export interface ReplyBoxProps {
  conversation: Conversation;
  /** Absent before anything is written. */
  draft: ReplyDraft | undefined;
  setDraft: (change: (now: ReplyDraft | undefined) => ReplyDraft) => void;
}

const draftOf = (text: string): ReplyDraft => ({ text, idempotencyKey: randomHex(16) });

/** The field for a reply. Enter sends, Shift+Enter starts a new line. */
export function ReplyBox({ conversation, draft, setDraft }: ReplyBoxProps) {
  const { id, tenant_id, mode, agent_name } = conversation;
  const gateway = useGateway();
  const queries = useQueryClient();
  const field = useRef<HTMLTextAreaElement>(null);
  const text = draft?.text ?? "";
  const sending = useMutation({
    mutationFn: ({ text, idempotencyKey }: ReplyDraft) =>
      gateway.send({ tenant_id, conversation_ref: id, text }, { idempotencyKey }),
    onSuccess: (_, sent) => {
      // Keep what was typed while this reply was being sent.
      setDraft((now) => (now === undefined || now.text === sent.text ? draftOf("") : now));
      field.current?.focus();
      return queries.invalidateQueries({ queryKey: threadKey(id) });
    },
  });
  const me = usePerson();
  const canned = useQuery({
    queryKey: ["gateway", "canned", tenant_id],
    queryFn: () => gateway.listCanned(tenant_id),
    staleTime: 60_000,
  });
  const replies = canned.data?.replies ?? [];
  const putCanned = (name: string | null) => {
    const found = replies.find((reply) => reply.name === name);
    if (found === undefined) return;
    const filled = fillCanned(found.text, {
      name: conversation.contact_name ?? conversation.external_user,
      address: conversation.external_user,
      agent: agent_name,
      person: me,
    });
    setDraft((now) => draftOf(now === undefined || now.text === "" ? filled : `${now.text}\n${filled}`));
    field.current?.focus();
  };
  useHotkeys([["r", () => field.current?.focus()]]);
  const submit = () => {
    if (draft !== undefined && text.trim() !== "" && !sending.isPending) sending.mutate(draft);
  };
  return (
    <form
      className="ar-inbox-reply"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {sending.isError && <FailureView thrown={sending.error} />}
      {mode === "bot" && agent_name !== null && <small className="ar-soft">{texts.agentAnswersToo}</small>}
      {replies.length > 0 && (
        <Select
          size="xs"
          aria-label={texts.canned}
          placeholder={texts.canned}
          searchable
          data={replies.map(({ name }) => name)}
          value={null}
          onChange={putCanned}
        />
      )}
      <div className="ar-inbox-write">
        <Textarea
          ref={field}
          aria-label={texts.reply}
          placeholder={texts.replyPlaceholder}
          autosize
          minRows={1}
          maxRows={6}
          maxLength={65_536}
          value={text}
          onChange={(event) => {
            const { value } = event.currentTarget;
            setDraft(() => draftOf(value));
          }}
          onKeyDown={(event) => {
            if (event.key === "Escape") event.currentTarget.blur();
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            submit();
          }}
        />
        <Button
          type="submit"
          leftSection={<Icon name="send" />}
          loading={sending.isPending}
          disabled={text.trim() === ""}
        >
          {texts.send}
        </Button>
      </div>
    </form>
  );
}
