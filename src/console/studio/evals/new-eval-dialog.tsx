import { Select, Textarea, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { notify } from "../../parts/notices.tsx";
import { evalTexts as texts } from "../../texts/studio/evals.ts";
import { useDaemon } from "../use-daemon.ts";
import { areComplete, type CheckDraft, entriesOf, firstCheck } from "./case-draft.ts";
import { CheckRows } from "./check-rows.tsx";
import { evalKeys, evalPath } from "./eval-keys.ts";

/** Creates an eval with its first case. */
export function NewEvalDialog({ agents, close }: { agents: readonly string[]; close: () => void }) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [name, setName] = useState("");
  const [agent, setAgent] = useState(agents[0] ?? "");
  const [query, setQuery] = useState("");
  const [checks, setChecks] = useState<CheckDraft[]>([...firstCheck]);
  return (
    <FormDialog
      title={texts.create}
      action={texts.createAction}
      close={close}
      isComplete={
        name.trim() !== "" &&
        agent !== "" &&
        query !== "" &&
        entriesOf(checks).length > 0 &&
        areComplete(checks)
      }
      send={async () => {
        const one = { query, checks: entriesOf(checks) };
        const made = await daemon.createEval({ name: name.trim(), agent, case: one });
        notify(texts.created);
        await queries.invalidateQueries({ queryKey: evalKeys.all });
        go(evalPath(made.name));
      }}
    >
      <TextInput
        label={texts.name}
        description={texts.nameHint}
        required
        data-autofocus
        autoComplete="off"
        maxLength={63}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Select
        label={texts.agent}
        data={[...agents]}
        searchable
        allowDeselect={false}
        value={agent === "" ? null : agent}
        onChange={(value) => setAgent(value ?? "")}
      />
      <Textarea
        label={texts.firstCase}
        required
        autosize
        minRows={2}
        maxRows={10}
        value={query}
        onChange={(event) => setQuery(event.currentTarget.value)}
      />
      <CheckRows checks={checks} change={setChecks} />
    </FormDialog>
  );
}
