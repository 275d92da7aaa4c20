import { Button, Group, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { refusalOf } from "../../../contracts/refusal.ts";
import type { Tagged } from "../../../contracts/tagged.ts";
import type { SpecReference, SubmittedSpec } from "../../../contracts/translator/translation.ts";
import { CodeEditor } from "../../editor/code-editor.tsx";
import { ConflictDialog, isConflict, NameTaken } from "../../editor/conflict-dialog.tsx";
import { LeaveDialog } from "../../editor/leave-dialog.tsx";
import { useLeaveGuard } from "../../editor/use-leave-guard.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { notify } from "../../parts/notices.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { specPageTexts, specTexts as texts } from "../../texts/translator/translator.ts";
import { translatorPaths } from "../translator-paths.ts";
import { useTranslator } from "../use-translator.ts";
import { GapList, ResourceTable } from "./translation-tables.tsx";

const waitMs = 400;

interface SpecEditorProps {
  initial: string;
  /** The stored manifest that is edited; absent for a new one. */
  stored?: Tagged<SubmittedSpec>;
}

/** A manifest as YAML, beside the resources that it becomes. */
export function SpecEditor({ initial, stored }: SpecEditorProps) {
  const translator = useTranslator();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [yaml, setYaml] = useState(initial);
  const [settled] = useDebouncedValue(yaml, waitMs);
  const query = useQuery({
    queryKey: ["translator", "translate", settled],
    queryFn: () => translator.translate(settled),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000,
    retry: false,
  });
  // The version that the editor began with, even if a newer one is read meanwhile.
  const [base, setBase] = useState(stored);
  /** The stored manifest that the save would have replaced. */
  const [conflict, setConflict] = useState<SpecReference & { isTaken: boolean }>();
  const guard = useLeaveGuard(yaml !== (base?.value.yaml ?? initial));
  const saved = async ({ kind, name }: SpecReference) => {
    await queries.invalidateQueries({ queryKey: ["translator"] });
    notify(texts.saved(name));
    await guard.pass(async () => go(translatorPaths.spec(kind, name)));
  };
  const save = useMutation({
    async mutationFn({ kind, name }: SpecReference) {
      if (base !== undefined && isSameSpec(base.value, { kind, name }))
        return translator.submit(yaml, base.tag);
      // Under another name, the manifest is a new one, and the translator would replace the one that has the name.
      if (await isStored(() => translator.getSpec(kind, name))) throw new NameTaken();
      return translator.submit(yaml);
    },
    onSuccess: saved,
    onError(thrown, { kind, name }) {
      if (isConflict(thrown)) setConflict({ kind, name, isTaken: thrown instanceof NameTaken });
    },
  });
  const isPending = query.isFetching || settled !== yaml;
  const problems = query.isError ? (refusalOf(query.error)?.problems ?? []) : [];
  return (
    <div className="ar-tl-editor">
      <LeaveDialog guard={guard} />
      <div className="ar-stack">
        <Panel title={texts.manifest}>
          <CodeEditor
            value={yaml}
            onChange={setYaml}
            language="yaml"
            label={texts.manifest}
            faults={problems.flatMap(({ line, column, message, path }) =>
              line === undefined
                ? []
                : [{ line, ...(column !== undefined && { column }), message: `${path} ${message}` }],
            )}
            minHeight={320}
            maxHeight="70vh"
          />
        </Panel>
        {conflict !== undefined && (
          <ConflictDialog<SubmittedSpec>
            mine={yaml}
            textOf={(theirs) => theirs.yaml}
            language="yaml"
            isTaken={conflict.isTaken}
            read={() => translator.readSpec(conflict.kind, conflict.name)}
            keepMine={async ({ tag }) => saved(await translator.submit(yaml, tag))}
            takeTheirs={(theirs) => {
              setBase(theirs);
              setYaml(theirs.value.yaml);
              save.reset();
            }}
            recreate={async () => saved(await translator.submit(yaml))}
            close={() => setConflict(undefined)}
          />
        )}
        {save.isError && !isConflict(save.error) && <FailureView thrown={save.error} />}
        <Group justify="flex-end">
          <Button
            disabled={isPending || query.data === undefined || query.isError}
            loading={save.isPending}
            onClick={() => query.data !== undefined && save.mutate(query.data)}
          >
            {texts.save}
          </Button>
        </Group>
      </div>
      <div className="ar-stack">
        <Panel
          title={texts.becomes}
          flush={!query.isError && query.data !== undefined}
          actions={
            isPending ? (
              <StatusBadge tone="plain">{texts.checking}</StatusBadge>
            ) : (
              <StatusBadge tone={query.isError ? "bad" : "good"}>
                {query.isError ? texts.invalid : texts.valid}
              </StatusBadge>
            )
          }
        >
          {query.isError ? (
            <FailureView thrown={query.error} />
          ) : query.data === undefined ? (
            <Text className="ar-soft">{texts.waits}</Text>
          ) : (
            <ResourceTable resources={query.data.resources} />
          )}
        </Panel>
        {!query.isError && query.data !== undefined && (
          <Panel title={specPageTexts.gaps}>
            <GapList gaps={query.data.gaps} />
          </Panel>
        )}
      </div>
    </div>
  );
}

const isSameSpec = (one: SpecReference, other: SpecReference): boolean =>
  one.kind === other.kind && one.name === other.name;

/** Returns false if `read` finds nothing. */
async function isStored(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (thrown) {
    if (refusalOf(thrown)?.status === 404) return false;
    throw thrown;
  }
}
