import { Button, Group, Text } from "@mantine/core";
import { useDebouncedValue, useDisclosure } from "@mantine/hooks";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { refusalOf } from "../../../contracts/refusal.ts";
import type { Tagged } from "../../../contracts/tagged.ts";
import type { SpecReference, SubmittedSpec } from "../../../contracts/translator/translation.ts";
import { CodeEditor } from "../../editor/code-editor.tsx";
import { ConflictDialog, isConflict } from "../../editor/conflict-dialog.tsx";
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
  const [isConflicting, conflict] = useDisclosure(false);
  const saved = async ({ kind, name }: SpecReference) => {
    await queries.invalidateQueries({ queryKey: ["translator"] });
    notify(texts.saved(name));
    go(translatorPaths.spec(kind, name));
  };
  const isOfBase = base !== undefined && query.data !== undefined && isSameSpec(base.value, query.data);
  const save = useMutation({
    // Under another name, the manifest is a new one.
    mutationFn: () => translator.submit(yaml, isOfBase ? base.tag : undefined),
    onSuccess: saved,
    onError(thrown) {
      if (isConflict(thrown)) conflict.open();
    },
  });
  const isPending = query.isFetching || settled !== yaml;
  const problems = query.isError ? (refusalOf(query.error)?.problems ?? []) : [];
  return (
    <div className="ar-cl-wizard">
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
        {base !== undefined && isConflicting && (
          <ConflictDialog<SubmittedSpec>
            mine={yaml}
            textOf={(theirs) => theirs.yaml}
            language="yaml"
            read={() => translator.readSpec(base.value.kind, base.value.name)}
            keepMine={async ({ tag }) => saved(await translator.submit(yaml, tag))}
            takeTheirs={(theirs) => {
              setBase(theirs);
              setYaml(theirs.value.yaml);
              save.reset();
            }}
            recreate={async () => saved(await translator.submit(yaml))}
            close={conflict.close}
          />
        )}
        {save.isError && !isConflict(save.error) && <FailureView thrown={save.error} />}
        <Group justify="flex-end">
          <Button
            disabled={isPending || query.isError}
            loading={save.isPending}
            onClick={() => save.mutate()}
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
