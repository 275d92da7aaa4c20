import { ActionIcon, Button, FileButton, Menu, Textarea } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { CannedReply } from "../../../contracts/gateway/desk.ts";
import { Icon } from "../../parts/icon.tsx";
import { isSendKey } from "../../parts/inputs/send-key.ts";
import { escapeUnseenName } from "../../parts/text/escape-unseen.ts";
import { replyTexts as texts } from "../../texts/gateway/reply.ts";
import { insertReply } from "./canned.ts";
import { CannedDialog } from "./canned-dialog.tsx";
import { CannedList, cannedListId, cannedOptionId } from "./canned-list.tsx";
import { changedDraft, isEmpty, type ReplyDraft } from "./drafts.ts";
import type { ReplyBoxProps } from "./reply-box.tsx";
import { ReplyFiles } from "./reply-files.tsx";
import { useCannedChoice, useCannedReplies, useFilledReply } from "./use-canned.ts";
import { useUploads } from "./use-uploads.ts";

interface ReplyFieldProps extends ReplyBoxProps {
  isSending: boolean;
  /** True if the last reply was not sent. */
  hasFailed: boolean;
  send: (draft: ReplyDraft) => void;
}

/** The text of a reply and its files: chosen, dropped or pasted. A slash offers canned replies; Ctrl+Enter sends. */
export function ReplyField({ conversation, draft, setDraft, isSending, hasFailed, send }: ReplyFieldProps) {
  const { tenant_id } = conversation;
  const field = useRef<HTMLTextAreaElement>(null);
  const text = draft?.text ?? "";
  const files = draft?.files ?? [];
  const [caret, setCaret] = useState(0);
  const [isOver, setOver] = useState(false);
  const [isEditing, edit] = useState(false);
  /** True if the reply was sent off while another one was on its way: it follows. */
  const [isQueued, queue] = useState(false);
  /** Where the caret goes once the text is on the page. */
  const nextCaret = useRef<number>(undefined);
  const uploads = useUploads(conversation, files.length, (file) =>
    setDraft((now) => changedDraft(now, { files: [...(now?.files ?? []), file] })),
  );
  const replies = useCannedReplies(tenant_id).data?.replies ?? [];
  const filled = useFilledReply(conversation);
  const choice = useCannedChoice(replies, text, caret);
  const current = choice?.replies[choice.at];
  const isReady = !isEmpty(draft) && uploads.running.length === 0 && !isSending;
  const write = (written: string, place: number) => {
    setDraft((now) => changedDraft(now, { text: written }));
    setCaret(place);
  };
  const place = (written: string, at: number) => {
    nextCaret.current = at;
    write(written, at);
  };
  useLayoutEffect(() => {
    const at = nextCaret.current;
    if (at === undefined || field.current === null) return;
    nextCaret.current = undefined;
    field.current.focus();
    field.current.setSelectionRange(at, at);
  });
  const take = (reply: CannedReply) => {
    if (choice === undefined) return;
    const inserted = insertReply(text, choice.word, filled(reply));
    place(inserted.text, inserted.caret);
  };
  const append = (reply: CannedReply) => {
    const written = text === "" ? filled(reply) : `${text}\n${filled(reply)}`;
    place(written, written.length);
  };
  const submit = () => {
    queue(isSending);
    if (!isReady || draft === undefined) return;
    send(draft);
    field.current?.focus();
  };
  useEffect(() => {
    if (!isQueued || isSending) return;
    queue(false);
    if (isReady && !hasFailed && draft !== undefined) send(draft);
  }, [isQueued, isSending, isReady, hasFailed, draft, send]);
  useHotkeys([
    [
      "r",
      () => {
        field.current?.focus();
        // A draft that was kept goes on at its end.
        field.current?.setSelectionRange(text.length, text.length);
      },
    ],
  ]);
  const pressed = (event: React.KeyboardEvent<HTMLTextAreaElement>) => {
    if (isSendKey(event)) {
      event.preventDefault();
      submit();
      return;
    }
    if (choice === undefined) {
      if (event.key === "Escape") event.currentTarget.blur();
      return;
    }
    if (event.key === "Escape") choice.close();
    else if (event.key === "ArrowDown") choice.move(1);
    else if (event.key === "ArrowUp") choice.move(-1);
    else if ((event.key === "Enter" || event.key === "Tab") && current !== undefined && !event.shiftKey)
      take(current);
    else return;
    event.preventDefault();
  };
  return (
    <form
      className="ar-reply"
      data-over={isOver || undefined}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        uploads.add([...event.dataTransfer.files]);
      }}
    >
      {isOver && <p className="ar-reply-drop">{texts.dropHere}</p>}
      <ReplyFiles
        files={files}
        uploads={uploads}
        remove={(id) =>
          setDraft((now) => changedDraft(now, { files: files.filter((file) => file.id !== id) }))
        }
      />
      {choice !== undefined && <CannedList replies={choice.replies} at={choice.at} take={take} />}
      <div className="ar-inbox-write">
        <Textarea
          ref={field}
          aria-label={texts.reply}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          {...(choice !== undefined &&
            current !== undefined && {
              "aria-controls": cannedListId,
              "aria-activedescendant": cannedOptionId(choice.at),
            })}
          placeholder={texts.placeholder}
          autosize
          minRows={1}
          maxRows={8}
          maxLength={65_536}
          value={text}
          onChange={({ currentTarget: { value, selectionStart } }) => write(value, selectionStart)}
          onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
          onBlur={() => choice?.close()}
          onKeyDown={pressed}
          onPaste={(event) => {
            const pasted = [...event.clipboardData.files];
            if (pasted.length === 0) return;
            event.preventDefault();
            uploads.add(pasted);
          }}
        />
        <span className="ar-reply-buttons">
          <FileButton multiple onChange={(chosen) => uploads.add(chosen)}>
            {(props) => (
              <ActionIcon {...props} size="lg" variant="subtle" color="gray" aria-label={texts.attach}>
                <Icon name="clip" />
              </ActionIcon>
            )}
          </FileButton>
          <CannedMenu replies={replies} insert={append} edit={() => edit(true)} />
          <Button
            type="submit"
            leftSection={<Icon name="send" />}
            rightSection={<kbd className="ar-key">{texts.keys}</kbd>}
            loading={isSending}
            disabled={!isReady && !isSending}
          >
            {texts.send}
          </Button>
        </span>
      </div>
      {isEditing && <CannedDialog tenant={tenant_id} close={() => edit(false)} />}
    </form>
  );
}

interface CannedMenuProps {
  replies: readonly CannedReply[];
  insert: (reply: CannedReply) => void;
  edit: () => void;
}

/** The same replies for the mouse, and the way to edit them. */
function CannedMenu({ replies, insert, edit }: CannedMenuProps) {
  return (
    <Menu position="top-end" returnFocus={false} withinPortal={false}>
      <Menu.Target>
        <ActionIcon size="lg" variant="subtle" color="gray" aria-label={texts.canned}>
          <Icon name="book" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown className="ar-canned-menu">
        {replies.map((reply) => (
          <Menu.Item key={reply.id} onClick={() => insert(reply)}>
            <bdi>{escapeUnseenName(reply.name)}</bdi>
          </Menu.Item>
        ))}
        {replies.length > 0 && <Menu.Divider />}
        <Menu.Item leftSection={<Icon name="edit" size={14} />} onClick={edit}>
          {texts.manageCanned}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
