import { Button, Textarea } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { Conversation } from "../../../contracts/gateway/admin.ts";
import { Icon } from "../../parts/icon.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { randomHex } from "../../parts/text/random-hex.ts";
import { inboxTexts as texts } from "../../texts/gateway/inbox.ts";
import { useGateway } from "../use-gateway.ts";
import { threadKey } from "./use-thread.ts";

const newKey = () => randomHex(16);

/** The field for a reply. Enter sends, Shift+Enter starts a new line. */
export function ReplyBox({ conversation }: { conversation: Conversation }) {
  const { id, tenant_id, mode, agent_name } = conversation;
  const gateway = useGateway();
  const queries = useQueryClient();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState("");
  // The same text sent again after a lost answer is the same message.
  const key = useRef(newKey());
  const sending = useMutation({
    mutationFn: () =>
      gateway.send({ tenant_id, conversation_ref: id, text }, { idempotencyKey: key.current }),
    onSuccess: () => {
      key.current = newKey();
      setText("");
      field.current?.focus();
      return queries.invalidateQueries({ queryKey: threadKey(id) });
    },
  });
  useHotkeys([["r", () => field.current?.focus()]]);
  const submit = () => {
    if (text.trim() !== "" && !sending.isPending) sending.mutate();
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
            key.current = newKey();
            setText(event.currentTarget.value);
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
