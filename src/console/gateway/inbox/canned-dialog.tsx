import { ActionIcon, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog } from "../../parts/dialogs/dialog.tsx";
import { DialogForm } from "../../parts/dialogs/form-dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { escapeUnseenName } from "../../parts/text/escape-unseen.ts";
import { replyTexts as texts } from "../../texts/gateway/reply.ts";
import { useGateway } from "../use-gateway.ts";
import { cannedKey, useCannedReplies } from "./use-canned.ts";

/** The canned replies of a tenant, to add and delete. One name is one reply: saving it again replaces the text. */
export function CannedDialog({ tenant, close }: { tenant: string; close: () => void }) {
  const gateway = useGateway();
  const queries = useQueryClient();
  const replies = useCannedReplies(tenant);
  const [name, setName] = useState("");
  const [text, setText] = useState("");
  const changed = () => queries.invalidateQueries({ queryKey: cannedKey(tenant) });
  const deleting = useMutation({ mutationFn: gateway.deleteCanned, onSuccess: changed });
  return (
    <Dialog opened onClose={close} title={texts.canned} closeOnClickOutside={name === "" && text === ""}>
      <p className="ar-soft">{texts.cannedLead}</p>
      <Loaded query={replies} rows={2}>
        {({ replies: list }) =>
          list.length === 0 ? (
            <p>{texts.cannedNone}</p>
          ) : (
            <ul className="ar-canned-rows">
              {list.map((reply) => (
                <li key={reply.id}>
                  <span className="ar-break" dir="auto">
                    <b>{escapeUnseenName(reply.name)}</b> <span className="ar-soft">{reply.text}</span>
                  </span>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={texts.deleteCanned(escapeUnseenName(reply.name))}
                    loading={deleting.isPending && deleting.variables === reply.id}
                    onClick={() => deleting.mutate(reply.id)}
                  >
                    <Icon name="trash" />
                  </ActionIcon>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {deleting.isError && <FailureView thrown={deleting.error} />}
      <DialogForm
        action={texts.saveCanned}
        isComplete={name.trim() !== "" && text.trim() !== ""}
        send={async () => {
          await gateway.saveCanned({ tenant_id: tenant, name: name.trim(), text });
          await changed();
        }}
        sent={() => {
          setName("");
          setText("");
        }}
        cancel={close}
      >
        <TextInput
          label={texts.cannedName}
          maxLength={50}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Textarea
          label={texts.cannedText}
          description={texts.cannedHint}
          autosize
          minRows={2}
          maxRows={8}
          maxLength={4096}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </DialogForm>
    </Dialog>
  );
}
