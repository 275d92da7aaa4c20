import { Alert, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { refusalOf } from "../../contracts/refusal.ts";
import type { Tagged } from "../../contracts/tagged.ts";
import { Dialog } from "../parts/dialogs/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { FailureView } from "../parts/states/failure-view.tsx";
import { CopyButton } from "../parts/text/copy-button.tsx";
import { conflictTexts as texts } from "../texts/conflict.ts";
import { DiffView } from "./diff-view.tsx";
import type { EditorLanguage } from "./editor-setup.ts";

/** Refusals of a stale version that have the status 409. */
const conflicts: ReadonlySet<string> = new Set(["agent_changed", "eval_file_changed"]);

/** The console held back a save, because it would have replaced something else that is stored under the same name. */
export class NameTaken extends Error {
  constructor() {
    super(texts.takenTitle);
  }
}

/** Returns true if a save was refused because what is stored is not the version that was read. */
export function isConflict(thrown: unknown): boolean {
  if (thrown instanceof NameTaken) return true;
  const refusal = refusalOf(thrown);
  return refusal?.status === 412 || conflicts.has(refusal?.code ?? "");
}

interface ConflictDialogProps<T> {
  /** The user's version, as text. */
  mine: string;
  textOf: (theirs: T) => string;
  language: EditorLanguage;
  /** True if the user did not begin with the stored version: the save was for a new resource, or under another name. */
  isTaken?: boolean;
  /** Reads the version that is stored now. */
  read: () => Promise<Tagged<T>>;
  /** Saves the user's version over the one that was compared. */
  keepMine: (theirs: Tagged<T>) => Promise<unknown>;
  takeTheirs: (theirs: Tagged<T>) => void;
  /** Creates the resource again if it was deleted; absent if it can't be. */
  recreate?: (() => Promise<unknown>) | undefined;
  close: () => void;
}

/** Compares the user's version with the one that someone saved meanwhile, and lets the user choose. It changes nothing by itself. */
export function ConflictDialog<T>(props: ConflictDialogProps<T>) {
  const { mine, textOf, language, isTaken = false, read, keepMine, takeTheirs, recreate, close } = props;
  const [theirs, setTheirs] = useState<Tagged<T>>();
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [isAgain, setAgain] = useState(false);
  // Read once when the dialog opens, and again when a save meets yet another version.
  const look = async () => {
    setFailure(undefined);
    try {
      setTheirs(await read());
    } catch (thrown) {
      setTheirs(undefined);
      setFailure(thrown);
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the dialog reads when it opens.
  useEffect(() => void look(), []);
  const perform = async (act: () => Promise<unknown>) => {
    setBusy(true);
    setFailure(undefined);
    try {
      await act();
      close();
    } catch (thrown) {
      if (isConflict(thrown)) {
        setAgain(true);
        await look();
      } else setFailure(thrown);
    } finally {
      setBusy(false);
    }
  };
  const isGone = theirs === undefined && refusalOf(failure)?.status === 404;
  const other = theirs === undefined ? undefined : textOf(theirs.value);
  return (
    <Dialog
      opened
      onClose={close}
      size="xl"
      title={isTaken ? texts.takenTitle : texts.title}
      closeOnClickOutside={false}
    >
      <Stack gap="sm">
        {isGone ? (
          <Text>{recreate === undefined ? texts.gone : texts.goneSave}</Text>
        ) : (
          <Text>{isTaken ? texts.takenLead : texts.lead}</Text>
        )}
        {isAgain && !isGone && (
          <Alert role="alert" variant="outline" className="ar-warning" icon={<Icon name="warn" />}>
            {texts.again}
          </Alert>
        )}
        {other !== undefined && (
          <>
            <Text size="sm" className="ar-soft">
              {other === mine ? texts.same : texts.legend}
            </Text>
            <div className="ar-conflict-diff">
              <DiffView before={other} after={mine} language={language} label={texts.diff} />
            </div>
          </>
        )}
        {theirs === undefined && failure === undefined && <Skeleton height={160} />}
        {failure !== undefined && !isGone && <FailureView thrown={failure} />}
        <Group justify="space-between" className="ar-form-actions">
          <CopyButton value={mine} label={texts.copyMine} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close} data-autofocus>
              {texts.goOn}
            </Button>
            {theirs !== undefined && (
              <Button
                variant="default"
                disabled={isBusy}
                onClick={() => {
                  takeTheirs(theirs);
                  close();
                }}
              >
                {texts.takeTheirs}
              </Button>
            )}
            {theirs !== undefined && (
              <Button loading={isBusy} onClick={() => void perform(() => keepMine(theirs))}>
                {texts.keepMine}
              </Button>
            )}
            {isGone && recreate !== undefined && (
              <Button loading={isBusy} onClick={() => void perform(recreate)}>
                {texts.recreate}
              </Button>
            )}
          </Group>
        </Group>
      </Stack>
    </Dialog>
  );
}
