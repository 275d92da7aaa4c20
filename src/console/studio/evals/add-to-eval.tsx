import { Autocomplete, Button, Text, Textarea, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import type { TraceCaseDraft } from "../../../contracts/daemon/evals/evals.ts";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { notify } from "../../parts/notices.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { evalTexts as texts } from "../../texts/studio/evals.ts";
import { useDaemon } from "../use-daemon.ts";
import { areComplete, type CheckDraft, entriesOf, firstCheck } from "./case-draft.ts";
import { CheckRows } from "./check-rows.tsx";
import { evalKeys, evalPath } from "./eval-keys.ts";

interface AddToEvalProps {
  trace: string;
  /** What a person said that the answer should have been. */
  correction?: string | undefined;
  /** Beside an answer. */
  isSmall?: boolean;
}

/** Makes a case of a run: the button, and the dialog that it opens. */
export function AddToEval({ trace, correction, isSmall = false }: AddToEvalProps) {
  const daemon = useDaemon();
  const [isOpen, open] = useState(false);
  const draft = useQuery({
    queryKey: [...evalKeys.all, "draft", trace],
    queryFn: () => daemon.draftTraceCase(trace),
    enabled: isOpen,
    retry: false,
  });
  return (
    <>
      <Button
        {...(isSmall ? { size: "compact-xs", variant: "subtle", color: "gray" } : { variant: "default" })}
        loading={isOpen && draft.isLoading}
        onClick={() => open(true)}
      >
        {texts.add}
      </Button>
      {isOpen && draft.isError && <FailureView thrown={draft.error} />}
      {isOpen && draft.data !== undefined && (
        <AddDialog
          trace={trace}
          draft={correction === undefined ? draft.data : { ...draft.data, expected: correction }}
          close={() => open(false)}
        />
      )}
    </>
  );
}

function AddDialog({ trace, draft, close }: { trace: string; draft: TraceCaseDraft; close: () => void }) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const evals = useQuery({ queryKey: evalKeys.list, queryFn: daemon.listEvals });
  const own = evals.data?.evals.find(({ agent }) => agent === draft.agent)?.name ?? draft.agent;
  const [name, setName] = useState<string>();
  const [id, setId] = useState(draft.id);
  const [expected, setExpected] = useState(draft.expected ?? "");
  const [checks, setChecks] = useState<CheckDraft[]>([...firstCheck]);
  const chosen = (name ?? own).trim();
  const entries = entriesOf(checks);
  // The server knows whether an eval that exists has checks for every case.
  const isKnown = evals.data?.evals.some((one) => one.name === chosen) === true;
  return (
    <FormDialog
      title={texts.addTitle}
      action={texts.addAction}
      size="lg"
      close={close}
      isComplete={chosen !== "" && evals.isSuccess && areComplete(checks) && (entries.length > 0 || isKnown)}
      send={async () => {
        const added = await daemon.addTraceCase({
          trace_id: trace,
          eval: chosen,
          id: id.trim(),
          ...(expected !== "" && { expected }),
          ...(entries.length > 0 && { checks: entries }),
        });
        notify(texts.added(added.case, added.eval));
        await queries.invalidateQueries({ queryKey: evalKeys.all });
        go(evalPath(added.eval));
      }}
    >
      <Text className="ar-soft">{texts.addHint}</Text>
      <Autocomplete
        label={texts.evalName}
        description={texts.evalNameHint}
        data={evals.data?.evals.filter(({ faults }) => faults.length === 0).map((one) => one.name) ?? []}
        value={name ?? own}
        onChange={setName}
      />
      <TextInput
        label={texts.caseId}
        value={id}
        autoComplete="off"
        onChange={(event) => setId(event.currentTarget.value)}
      />
      <div>
        <Text size="sm" fw={500}>
          {texts.question}
        </Text>
        <div className="ar-eval-text">{draft.query}</div>
      </div>
      <Textarea
        label={texts.expected}
        description={texts.expectedHint}
        autosize
        minRows={2}
        maxRows={10}
        value={expected}
        onChange={(event) => setExpected(event.currentTarget.value)}
        data-autofocus
      />
      <CheckRows checks={checks} change={setChecks} />
      {draft.stubs.length > 0 && <Text className="ar-soft">{texts.stubs(draft.stubs.length)}</Text>}
    </FormDialog>
  );
}
