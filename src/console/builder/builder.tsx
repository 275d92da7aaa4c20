import { Alert, Button, SegmentedControl, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import type { ProblemBody } from "../../contracts/error-body.ts";
import { refusalOf } from "../../contracts/refusal.ts";
import type { Tagged } from "../../contracts/tagged.ts";
import { readYaml } from "../../manifest/yaml/read-yaml.ts";
import { ConflictDialog, isConflict } from "../editor/conflict-dialog.tsx";
import { LeaveDialog } from "../editor/leave-dialog.tsx";
import { useLeaveGuard } from "../editor/use-leave-guard.ts";
import { useUrlState } from "../parts/address/use-url-state.ts";
import { Confirm } from "../parts/dialogs/confirm.tsx";
import { PageHeader, type PageHeaderProps } from "../parts/layout/page-header.tsx";
import { Panel } from "../parts/layout/panel.tsx";
import { SaveBar } from "../parts/layout/save-bar.tsx";
import { notify } from "../parts/notices.tsx";
import { FailureView } from "../parts/states/failure-view.tsx";
import { Instant } from "../parts/text/instant.tsx";
import { StatusBadge } from "../parts/text/status-badge.tsx";
import { builderTexts as texts } from "../texts/builder.ts";
import { SaveDialog } from "./editor/save-dialog.tsx";
import { type ManifestVerdict, useManifestCheck } from "./editor/use-manifest-check.ts";
import { YamlPane } from "./editor/yaml-pane.tsx";
import { ManifestForm } from "./form/manifest-form.tsx";
import { type BuilderHost, HostProvider } from "./host.ts";
import { changeManifest } from "./manifest/change-manifest.ts";
import { freeName, nameIn } from "./manifest/manifest-checks.ts";
import { ManifestDiff } from "./manifest-diff.tsx";
import { TryPane } from "./trial/try-pane.tsx";
import { useDraft } from "./use-draft.ts";

/** What is sent with one save. */
export interface SaveWish {
  /** Words about what has changed. */
  note?: string;
  /** Called once the text is stored. Later failures don't bring the draft back. */
  stored: () => void;
}

/** A way to store the text. */
export interface SaveAction {
  label: string;
  /** Shows the changes first, and asks for a note where the host keeps one. */
  review?: "plain" | "noted";
  title: string;
  isReady: (verdict: ManifestVerdict, isDirty: boolean) => boolean;
  send: (text: string, base: Tagged<string>, wish: SaveWish) => Promise<void>;
}

interface BuilderProps {
  host: BuilderHost;
  /** Name of the edited agent; absent for a new one. */
  name?: string;
  header: PageHeaderProps;
  /** The stored manifest, or the initial text of a new agent. */
  initial: Tagged<string>;
  /** The version in service, if it differs from the stored one: changes are compared with it. */
  published?: string | undefined;
  /** Text of an unsaved change that the editor begins with. */
  begun?: string;
  /** Under which the browser keeps what is not saved. */
  draftName: string;
  /** Names of the existing agents. */
  taken: readonly string[];
  save: SaveAction;
  /** A further way, such as publishing. It is the main one where it is present. */
  publish?: SaveAction | undefined;
  /** For a stored agent: reads and takes over the version that somebody else has stored since. */
  others?: {
    read: () => Promise<Tagged<string>>;
    take: (theirs: Tagged<string>) => void;
    canRecreate: boolean;
  };
  /** Creates a new agent from the text, for one that can't be changed in place. */
  copy?: ((text: string) => Promise<void>) | undefined;
  /** Shown above the form. */
  top?: ReactNode;
  /** Shown at a refused save. */
  refused?: (thrown: unknown, text: string) => ReactNode;
  /** Shown beside the buttons, with the stored text. */
  foot?: (stored: string) => ReactNode;
}

const views = ["form", "try", "yaml", "changes"] as const;
type View = (typeof views)[number];

/** The editor of an agent, the same in every place: form, YAML, changes and trial of one text, which is the single source. */
export function Builder(props: BuilderProps) {
  const { host, name, header, initial, begun, draftName, taken, save, publish, others, copy, top } = props;
  const draft = useDraft(draftName, initial, begun);
  const { text, base, isDirty, setText } = draft;
  const compared = props.published ?? base.value;
  const [written, setView] = useUrlState("view");
  const view: View = views.find((one) => one === written) ?? "form";
  const beside = view === "form" ? (host.trial === undefined ? "yaml" : "try") : view;
  const reading = useMemo(() => readYaml(text), [text]);
  const rule = useMemo(() => (name === undefined ? { taken } : { fixed: name }), [name, taken]);
  const [refusal, setRefusal] = useState<{ text: string; thrown: unknown }>();
  const checked = useManifestCheck(host, text, reading, rule);
  const verdict = withRefused(checked, refusal?.text === text ? refusal.thrown : undefined);
  const [reviewed, review] = useState<SaveAction>();
  const [isConflicting, conflict] = useDisclosure(false);
  const [isAsking, asking] = useDisclosure(false);
  const [sending, setSending] = useState<SaveAction>();
  const guard = useLeaveGuard(isDirty && !draft.isKept);

  const send = async (action: SaveAction, note: Pick<SaveWish, "note"> = {}) => {
    setRefusal(undefined);
    try {
      // A new page follows for a new agent, so its draft ends before.
      await guard.pass(() => action.send(text, base, { ...note, stored: draft.end }));
      // Shows the service's version of the stored text, which may hide secrets.
      draft.end();
    } catch (thrown) {
      if (isConflict(thrown) && others !== undefined) conflict.open();
      else setRefusal({ text, thrown });
      throw thrown;
    }
  };
  const begin = async (action: SaveAction) => {
    if (action.review !== undefined) return review(action);
    setSending(action);
    await send(action).catch(() => undefined);
    setSending(undefined);
  };
  const isReady = (action: SaveAction) => action.isReady(verdict, isDirty || name === undefined);
  useSaveKey(() => {
    if (isReady(save)) void begin(save);
    else notify(isDirty || name === undefined ? texts.notYet : texts.unchanged);
  });

  const ownName = name ?? ("value" in reading ? nameIn(reading.value) : undefined) ?? "";
  const copyName = freeName(ownName, taken);
  const choice = (shown: readonly View[]) => shown.map((value) => ({ value, label: texts.panes[value] }));
  return (
    <HostProvider value={host}>
      <PageHeader {...header} />
      {draft.restoredAt !== undefined && isDirty && (
        <Alert mb="md" variant="outline" role="note">
          {texts.restored} <Instant iso={draft.restoredAt} />.{" "}
          <Button size="compact-xs" variant="default" onClick={asking.open}>
            {texts.discardDraft}
          </Button>
        </Alert>
      )}
      {!draft.isKept && (
        <Alert mb="md" variant="outline" className="ar-warning" role="alert">
          {texts.notKept}
        </Alert>
      )}
      {top}
      <SegmentedControl
        className="ar-edit-switch"
        fullWidth
        aria-label={texts.views}
        value={view}
        onChange={(value) => setView(value === "form" ? "" : value)}
        data={choice(views)}
      />
      <div className="ar-edit" data-shown={view}>
        <div className="ar-edit-form">
          <ManifestForm
            schema={host.schema}
            reading={reading}
            problems={[...verdict.problems, ...verdict.missing]}
            text={text}
            onChange={setText}
          />
        </div>
        <div className="ar-edit-beside">
          <SegmentedControl
            className="ar-edit-choice"
            size="xs"
            aria-label={texts.besides}
            value={beside}
            onChange={setView}
            data={choice(views.slice(1))}
          />
          <div hidden={beside !== "try"}>
            <TryPane text={text} reading={reading} verdict={verdict} />
          </div>
          {beside === "yaml" && (
            <YamlPane text={text} onChange={setText} problems={verdict.problems} schema={host.schema} />
          )}
          {beside === "changes" && (
            <Panel title={texts.changes}>
              {name !== undefined && compared !== text ? (
                <ManifestDiff before={compared} after={text} label={texts.diff} />
              ) : (
                <Text className="ar-soft">{texts.noChanges}</Text>
              )}
            </Panel>
          )}
        </div>
      </div>
      {refusal !== undefined &&
        refusal.text === text &&
        reviewed === undefined &&
        // Its problems stand at their lines.
        !(beside === "yaml" && refusalOf(refusal.thrown)?.problems !== undefined) &&
        (props.refused?.(refusal.thrown, text) ?? (
          <FailureView
            thrown={refusal.thrown}
            title={publish === undefined ? texts.saveFailed : texts.publishFailed}
          />
        ))}
      <SaveBar>
        {props.foot?.(base.value)}
        <VerdictBadge verdict={verdict} />
        {isDirty && <span className="ar-soft">{texts.unsaved}</span>}
        <Button
          variant={publish === undefined ? "filled" : "default"}
          loading={sending === save}
          onClick={() => void begin(save)}
          disabled={!isReady(save)}
        >
          {save.label}
        </Button>
        {publish !== undefined && (
          <Button
            loading={sending === publish}
            onClick={() => void begin(publish)}
            disabled={!isReady(publish)}
          >
            {publish.label}
          </Button>
        )}
      </SaveBar>
      {reviewed !== undefined && (
        <SaveDialog
          onClose={() => review(undefined)}
          action={reviewed}
          name={ownName}
          stored={name === undefined ? undefined : compared}
          text={text}
          onConflict={() => review(undefined)}
          onSave={(wish) => send(reviewed, wish)}
          refused={props.refused}
          copy={
            name === undefined || copy === undefined
              ? undefined
              : {
                  name: copyName,
                  save: () => guard.pass(() => copy(changeManifest(text, ["metadata", "name"], copyName))),
                }
          }
        />
      )}
      {others !== undefined && isConflicting && (
        <ConflictDialog<string>
          mine={text}
          textOf={(theirs) => theirs}
          language="yaml"
          read={others.read}
          keepMine={async (theirs) => {
            await save.send(text, theirs, { stored: draft.end });
            draft.end();
          }}
          recreate={
            others.canRecreate
              ? async () => {
                  await save.send(text, { value: base.value, tag: undefined }, { stored: draft.end });
                  draft.end();
                }
              : undefined
          }
          takeTheirs={(theirs) => {
            others.take(theirs);
            draft.end();
          }}
          close={conflict.close}
        />
      )}
      <Confirm
        opened={isAsking}
        title={texts.discardTitle}
        text={texts.discardText}
        action={texts.discardDraft}
        onClose={asking.close}
        onConfirm={async () => draft.end()}
      />
      <LeaveDialog guard={guard} />
    </HostProvider>
  );
}

/** Adds the faults that the service told at the last save of this very text. */
function withRefused(verdict: ManifestVerdict, thrown: unknown): ManifestVerdict {
  const told: readonly ProblemBody[] = refusalOf(thrown)?.problems ?? [];
  const isNew = ({ path, message }: ProblemBody) =>
    !verdict.problems.some((one) => one.path === path && one.message === message);
  const problems = told.filter(isNew);
  return problems.length === 0
    ? verdict
    : { ...verdict, state: "faulty", problems: [...verdict.problems, ...problems] };
}

/** Saves on Ctrl+S or ⌘S instead of the browser's own save dialog. */
function useSaveKey(save: () => void): void {
  const latest = useRef(save);
  latest.current = save;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s") return;
      event.preventDefault();
      latest.current();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

/** Shows whether the manifest is valid in its present state. */
function VerdictBadge({ verdict: { state, problems, missing } }: { verdict: ManifestVerdict }) {
  if (state === "checking") return <StatusBadge tone="plain">{texts.checking}</StatusBadge>;
  if (state === "unchecked") return <StatusBadge tone="warn">{texts.unchecked}</StatusBadge>;
  if (state === "faulty") return <StatusBadge tone="bad">{texts.faulty(problems.length)}</StatusBadge>;
  if (missing.length > 0) return <StatusBadge tone="warn">{texts.incomplete}</StatusBadge>;
  return <StatusBadge tone="good">{texts.valid}</StatusBadge>;
}
