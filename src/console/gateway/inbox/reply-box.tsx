import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Conversation } from "../../../contracts/gateway/admin.ts";
import type { Template } from "../../../contracts/gateway/messages.ts";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { randomHex } from "../../parts/text/random-hex.ts";
import { replyTexts as texts } from "../../texts/gateway/reply.ts";
import { useSetup } from "../accounts/use-setup.ts";
import { useGateway } from "../use-gateway.ts";
import type { ReplyDraft } from "./drafts.ts";
import { ReplyField } from "./reply-field.tsx";
import { TemplateForm } from "./template-form.tsx";
import { conversationKey, threadKey } from "./use-thread.ts";
import { useWindowState } from "./window-left.tsx";
import { formatLeft } from "./window-state.ts";

export interface ReplyBoxProps {
  conversation: Conversation;
  /** Absent before anything is written. */
  draft: ReplyDraft | undefined;
  setDraft: (change: (now: ReplyDraft | undefined) => ReplyDraft | undefined) => void;
}

/** The reply to a conversation: a text with files, or a template. Where the provider's window is closed, the template comes first. */
export function ReplyBox({ conversation, draft, setDraft }: ReplyBoxProps) {
  const { id, tenant_id, account_id, channel, mode, agent_name } = conversation;
  const gateway = useGateway();
  const queries = useQueryClient();
  const setup = useSetup();
  const window = useWindowState(conversation.window_closes_at);
  const isClosed = window.state === "closed";
  const hasTemplates = setup.data?.channels.find((one) => one.channel === channel)?.has_templates === true;
  const [chosen, choose] = useState<"text" | "template">();
  // A choice holds until the window opens or closes.
  const way = chosen ?? (isClosed && hasTemplates ? "template" : "text");
  const to = { tenant_id, conversation_ref: id };
  const sent = () =>
    Promise.all(
      [threadKey(id), conversationKey(id)].map((queryKey) => queries.invalidateQueries({ queryKey })),
    );
  const sending = useMutation({
    mutationFn: async ({ text, files, idempotencyKey }: ReplyDraft) => {
      const said = { ...to, ...(isClosed && { force: true }), ...(text.trim() !== "" && { text }) };
      if (files.length === 0) await gateway.send(said, { idempotencyKey });
      // Each file is a message; the text goes with the first. A file that was sent before a failure is not sent twice.
      for (const [place, file] of files.entries()) {
        const content = place === 0 ? said : { ...to, ...(isClosed && { force: true }) };
        await gateway.send(
          { ...content, media: [{ id: file.id }] },
          { idempotencyKey: `${idempotencyKey}.${place}` },
        );
      }
    },
    onSuccess: (_, { idempotencyKey }) => {
      // Keep what was typed while this reply was being sent.
      setDraft((now) => (now?.idempotencyKey === idempotencyKey ? undefined : now));
      return sent();
    },
    // The window may have closed meanwhile.
    onError: () => queries.invalidateQueries({ queryKey: conversationKey(id) }),
  });
  const templating = useMutation({
    mutationFn: ({ template, key }: { template: Template; key: string }) =>
      gateway.send({ ...to, template }, { idempotencyKey: key }),
    onSuccess: () => {
      choose(undefined);
      return sent();
    },
  });
  return (
    <section className="ar-inbox-reply" aria-label={texts.reply}>
      <WindowNote state={window} hasTemplates={hasTemplates} />
      {mode === "bot" && agent_name !== null && <small className="ar-soft">{texts.agentAnswersToo}</small>}
      {way === "text" ? (
        <>
          {sending.isError && <FailureView thrown={sending.error} />}
          <ReplyField
            conversation={conversation}
            draft={draft}
            setDraft={setDraft}
            isSending={sending.isPending}
            hasFailed={sending.isError}
            send={sending.mutate}
          />
        </>
      ) : (
        <>
          {templating.isError && <FailureView thrown={templating.error} />}
          <TemplateForm
            account={account_id}
            isSending={templating.isPending}
            send={(template) => templating.mutate({ template, key: keyOf(template) })}
          />
        </>
      )}
      {hasTemplates && (
        <Button
          className="ar-reply-way"
          size="compact-xs"
          variant="subtle"
          onClick={() => choose(way === "text" ? "template" : "text")}
        >
          {way === "text" ? texts.useTemplate : isClosed ? texts.writeAnyway : texts.backToText}
        </Button>
      )}
    </section>
  );

  /** The same template sent again after a lost answer is the same message; sent again after it was sent, it is another. */
  function keyOf(template: Template): string {
    const last = templating.variables;
    const isSame = templating.isError && JSON.stringify(last?.template) === JSON.stringify(template);
    return isSame && last !== undefined ? last.key : randomHex(16);
  }
}

function WindowNote({
  state: found,
  hasTemplates,
}: {
  state: ReturnType<typeof useWindowState>;
  hasTemplates: boolean;
}) {
  switch (found.state) {
    case "none":
      return null;
    case "unknown":
      return <small className="ar-soft">{texts.window.unknown}</small>;
    case "open":
      return <small className="ar-soft">{texts.window.open(formatLeft(found.leftMs))}</small>;
    case "closed":
      return (
        <small className="ar-window" data-state="closed">
          {hasTemplates ? texts.window.closed : texts.window.closedNoTemplates}
        </small>
      );
  }
}
