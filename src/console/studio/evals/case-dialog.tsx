import { TagsInput, Textarea, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { stringify } from "yaml";
import type { EvalCaseEntry } from "../../../contracts/daemon/evals/evals.ts";
import { ConflictDialog, isConflict } from "../../editor/conflict-dialog.tsx";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { notify } from "../../parts/notices.tsx";
import { evalTexts as texts } from "../../texts/studio/evals.ts";
import { useDaemon } from "../use-daemon.ts";
import { areComplete, type CaseDraft, caseOf, draftOf } from "./case-draft.ts";
import { CheckRows } from "./check-rows.tsx";
import { evalKeys } from "./eval-keys.ts";

interface CaseDialogProps {
  name: string;
  /** The case to edit and the state of the file that it was read from; absent: a new case. */
  edited?: { entry: EvalCaseEntry; etag: string };
  close: () => void;
}

/** Adds a case to an eval, or edits one. */
export function CaseDialog({ name, edited: read, close }: CaseDialogProps) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  // The version that the form began with, even if a newer one is read meanwhile.
  const [edited, setEdited] = useState(read);
  const [isConflicting, conflict] = useDisclosure(false);
  const [draft, setDraft] = useState<CaseDraft>(() =>
    draftOf({ ...edited?.entry.case, ...(edited && { id: edited.entry.id }) }),
  );
  const set = (changed: Partial<CaseDraft>) => setDraft((now) => ({ ...now, ...changed }));
  const one = caseOf(draft);
  const saved = async () => {
    notify(texts.saved);
    await queries.invalidateQueries({ queryKey: evalKeys.all });
  };
  const replace = async (id: string, etag: string) => {
    try {
      if (one !== undefined) await daemon.replaceEvalCase(name, id, one, etag);
    } catch (thrown) {
      if (isConflict(thrown)) conflict.open();
      throw thrown;
    }
  };
  if (edited !== undefined && isConflicting) {
    return (
      <ConflictDialog<EvalCaseEntry>
        mine={caseText(one ?? {})}
        textOf={(theirs) => caseText(caseOf(draftOf({ ...theirs.case, id: theirs.id })) ?? theirs.case)}
        language="yaml"
        read={() => daemon.readEvalCase(name, edited.entry.id)}
        keepMine={async ({ value, tag = "" }) => {
          await replace(value.id, tag);
          await saved();
          close();
        }}
        takeTheirs={({ value, tag = "" }) => {
          setEdited({ entry: value, etag: tag });
          setDraft(draftOf({ ...value.case, id: value.id }));
        }}
        recreate={async () => {
          if (one !== undefined) await daemon.addEvalCases(name, { case: one });
          await saved();
          close();
        }}
        close={conflict.close}
      />
    );
  }
  const hasTurns = edited?.entry.case.turns !== undefined;
  return (
    <FormDialog
      title={edited === undefined ? texts.newTitle : texts.editTitle(edited.entry.id)}
      action={texts.save}
      size="lg"
      close={close}
      isComplete={
        one !== undefined && areComplete(draft.checks) && (one.query !== undefined || one.turns !== undefined)
      }
      send={async () => {
        if (one === undefined) return;
        if (edited === undefined) await daemon.addEvalCases(name, { case: one });
        else await replace(edited.entry.id, edited.etag);
        await saved();
      }}
    >
      <TextInput
        label={texts.caseId}
        value={draft.id}
        autoComplete="off"
        maxLength={100}
        onChange={(event) => set({ id: event.currentTarget.value })}
      />
      {!hasTurns && (
        <Textarea
          label={texts.question}
          required
          autosize
          minRows={2}
          maxRows={10}
          value={draft.query}
          data-autofocus
          onChange={(event) => set({ query: event.currentTarget.value })}
        />
      )}
      <Textarea
        label={texts.expected}
        description={texts.expectedHint}
        autosize
        minRows={2}
        maxRows={10}
        value={draft.expected}
        onChange={(event) => set({ expected: event.currentTarget.value })}
      />
      <CheckRows checks={draft.checks} change={(checks) => set({ checks })} />
      <TagsInput
        label={texts.tags}
        description={texts.tagsHint}
        value={draft.tags}
        onChange={(tags) => set({ tags })}
      />
      <Textarea
        label={texts.more}
        description={texts.moreHint}
        autosize
        minRows={2}
        maxRows={16}
        className="ar-mono"
        value={draft.more}
        error={one === undefined ? texts.moreWrong : undefined}
        onChange={(event) => set({ more: event.currentTarget.value })}
      />
    </FormDialog>
  );
}

/** A case as text, for a comparison. */
const caseText = (one: Readonly<Record<string, unknown>>): string => stringify(one);
