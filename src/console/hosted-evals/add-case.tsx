import { Autocomplete, Button, Text, Textarea } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { refusalOf } from "../../contracts/refusal.ts";
import type { Tagged } from "../../contracts/tagged.ts";
import { FormDialog } from "../parts/dialogs/form-dialog.tsx";
import { isRecord } from "../parts/is-record.ts";
import { notify } from "../parts/notices.tsx";
import { areComplete, type CheckDraft, entriesOf, firstCheck } from "../studio/evals/case-draft.ts";
import { CheckRows } from "../studio/evals/check-rows.tsx";
import { addCaseTexts as texts } from "../texts/quality.ts";
import type { EvalHost } from "./eval-host.ts";

interface AddCaseProps {
  host: Pick<EvalHost, "calls" | "keys">;
  agent: string;
  query: string;
  /** What the answer should have been. */
  expected: string | undefined;
}

/** Makes a case of an answer: the button, and the dialog that it opens. */
export function AddCase(props: AddCaseProps) {
  const [isOpen, open] = useState(false);
  return (
    <>
      <Button size="compact-xs" variant="subtle" color="gray" onClick={() => open(true)}>
        {texts.add}
      </Button>
      {isOpen && <AddCaseDialog {...props} close={() => open(false)} />}
    </>
  );
}

function AddCaseDialog({
  host: { calls, keys },
  agent,
  query,
  expected: given = "",
  close,
}: AddCaseProps & { close: () => void }) {
  const queries = useQueryClient();
  const { data } = useQuery({ queryKey: keys.list, queryFn: calls.listEvals });
  const own = data?.evals.find((one) => one.agent === agent)?.name ?? agent;
  const [written, setName] = useState<string>();
  const [question, setQuestion] = useState(query);
  const [expected, setExpected] = useState(given);
  const [checks, setChecks] = useState<CheckDraft[]>([...firstCheck]);
  const name = (written ?? own).trim();
  const entries = entriesOf(checks);
  return (
    <FormDialog
      title={texts.title}
      action={texts.action}
      size="lg"
      close={close}
      // A case without a check passes whatever the agent answers.
      isComplete={name !== "" && question.trim() !== "" && entries.length > 0 && areComplete(checks)}
      send={async () => {
        const found = await calls.readEval(name).catch((thrown: unknown) => {
          if (refusalOf(thrown)?.status === 404) return undefined;
          throw thrown;
        });
        const one = { query: question, ...(expected !== "" && { expected }), checks: entries };
        await calls.putEval(
          name,
          withCase(found?.value.manifest ?? emptyEval(name, agent), one),
          matchOf(found),
        );
        await queries.invalidateQueries({ queryKey: keys.all });
        notify(texts.added(name));
      }}
    >
      <Autocomplete
        label={texts.eval}
        description={texts.evalHint}
        data={data?.evals.map((one) => one.name) ?? []}
        value={written ?? own}
        onChange={setName}
      />
      <Textarea
        label={texts.question}
        required
        autosize
        minRows={2}
        maxRows={8}
        value={question}
        onChange={(event) => setQuestion(event.currentTarget.value)}
      />
      <Textarea
        label={texts.expected}
        autosize
        minRows={2}
        maxRows={10}
        value={expected}
        onChange={(event) => setExpected(event.currentTarget.value)}
      />
      <CheckRows checks={checks} change={setChecks} />
      {expected !== "" && (
        <Text size="xs" className="ar-soft">
          {texts.expectedHint}
        </Text>
      )}
    </FormDialog>
  );
}

const matchOf = (found: Tagged<unknown> | undefined) => (found === undefined ? {} : { match: found.tag });

const emptyEval = (name: string, agent: string) => ({
  apiVersion: "platform/v1",
  kind: "Eval",
  metadata: { name },
  spec: { agent, cases: [] },
});

/** Returns the document of an eval with one more case. Throws if it has no list of cases. */
export function withCase(manifest: unknown, one: object): object {
  const spec = isRecord(manifest) ? manifest.spec : undefined;
  if (!isRecord(manifest) || !isRecord(spec) || !Array.isArray(spec.cases)) throw new Error(texts.unreadable);
  return { ...manifest, spec: { ...spec, cases: [...spec.cases, one] } };
}
