import { Button } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import type { PipelineDetail } from "../../../../contracts/daemon/rag/rag-pipelines.ts";
import type { ProblemBody as Problem } from "../../../../contracts/error-body.ts";
import { refusalOf } from "../../../../contracts/refusal.ts";
import type { Tagged } from "../../../../contracts/tagged.ts";
import { CodeEditor } from "../../../editor/code-editor.tsx";
import { ConflictDialog, isConflict } from "../../../editor/conflict-dialog.tsx";
import { LeaveDialog } from "../../../editor/leave-dialog.tsx";
import { useLeaveGuard } from "../../../editor/use-leave-guard.ts";
import { useManifestProblems } from "../../../editor/use-manifest-problems.ts";
import { Confirm } from "../../../parts/dialogs/confirm.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { SaveBar } from "../../../parts/layout/save-bar.tsx";
import { notify } from "../../../parts/notices.tsx";
import { FailureView } from "../../../parts/states/failure-view.tsx";
import { ProblemList } from "../../../parts/states/problem-list.tsx";
import { pipelineTexts as texts } from "../../../texts/studio/knowledge.ts";
import { useDaemon } from "../../use-daemon.ts";
import { knowledgeKeys, knowledgePaths } from "../knowledge-paths.ts";
import { pipelineTemplate, pipelineText } from "./pipeline-text.ts";

const textOf = ({ name, spec }: PipelineDetail) => pipelineText(name, spec ?? {});

const none: readonly Problem[] = [];

/** Edits the text of a pipeline, with its problems at their lines. */
export function PipelineEditor({ read }: { read?: Tagged<PipelineDetail> }) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [, go] = useLocation();
  // The version that the text began with, even if a newer one is read meanwhile.
  const [base, setBase] = useState(read);
  const pipeline = base?.value;
  const begun = pipeline === undefined ? pipelineTemplate : textOf(pipeline);
  const [text, setText] = useState(begun);
  const guard = useLeaveGuard(text !== begun);
  const [isConflicting, conflict] = useDisclosure(false);
  const [isDeleting, setDeleting] = useState(false);
  const found = useManifestProblems("RAGPipeline", text);
  const saving = useMutation({
    mutationFn: ({ tag }: { tag: string | undefined }) =>
      pipeline === undefined ? daemon.createPipeline(text) : daemon.replacePipeline(pipeline.name, text, tag),
    onError: (thrown) => {
      if (isConflict(thrown)) conflict.open();
    },
    async onSuccess({ name }) {
      await queries.invalidateQueries({ queryKey: knowledgeKeys.all });
      notify(texts.saved(name));
      await guard.pass(async () => go(knowledgePaths.all));
    },
  });
  // Problems of the text that was sent; the next change removes them.
  const refused = saving.isError ? (refusalOf(saving.error)?.problems ?? none) : none;
  const problems = found.length > 0 ? found : refused;
  const save = () => {
    if (found.length === 0) saving.mutate({ tag: base?.tag });
  };
  useHotkeys([["mod+S", save]], ["INPUT", "TEXTAREA", "SELECT"], true);
  return (
    <div className="ar-stack">
      <Panel
        title={texts.manifest}
        actions={
          pipeline !== undefined && (
            <Button size="xs" variant="default" className="ar-danger" onClick={() => setDeleting(true)}>
              {texts.delete}
            </Button>
          )
        }
      >
        <CodeEditor
          value={text}
          onChange={(next) => {
            setText(next);
            if (saving.isError) saving.reset();
          }}
          language="yaml"
          label={texts.manifest}
          faults={problems}
          minHeight={320}
          maxHeight="60dvh"
        />
      </Panel>
      {saving.isError && !isConflict(saving.error) && <FailureView thrown={saving.error} />}
      <div aria-live="polite">
        {found.length > 0 && (
          <Panel title={texts.faults(found.length)}>
            <ProblemList problems={found} />
          </Panel>
        )}
      </div>
      <SaveBar>
        <Button loading={saving.isPending} disabled={found.length > 0} onClick={save}>
          {pipeline === undefined ? texts.create : texts.save}
        </Button>
      </SaveBar>
      {pipeline !== undefined && isConflicting && (
        <ConflictDialog<PipelineDetail>
          mine={text}
          textOf={textOf}
          language="yaml"
          read={() => daemon.readPipeline(pipeline.name)}
          keepMine={(theirs) => saving.mutateAsync(theirs)}
          recreate={() => saving.mutateAsync({ tag: undefined })}
          takeTheirs={(theirs) => {
            setBase(theirs);
            setText(textOf(theirs.value));
            saving.reset();
          }}
          close={conflict.close}
        />
      )}
      <LeaveDialog guard={guard} />
      {pipeline !== undefined && (
        <Confirm
          opened={isDeleting}
          title={texts.deleteTitle(pipeline.name)}
          text={texts.deleteText}
          action={texts.delete}
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await daemon.deletePipeline(pipeline.name);
            notify(texts.deleted(pipeline.name));
            await guard.pass(async () => go(knowledgePaths.all));
            await queries.invalidateQueries({ queryKey: knowledgeKeys.pipelines, exact: true });
            queries.removeQueries({ queryKey: [...knowledgeKeys.pipelines, pipeline.name] });
          }}
        />
      )}
    </div>
  );
}
