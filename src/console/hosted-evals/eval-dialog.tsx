import { Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { parse, stringify } from "yaml";
import type { HostedEvalDetail } from "../../contracts/evals/hosted-evals.ts";
import { ConflictDialog, isConflict, NameTaken } from "../editor/conflict-dialog.tsx";
import { FormDialog } from "../parts/dialogs/form-dialog.tsx";
import { notify } from "../parts/notices.tsx";
import { Loaded } from "../parts/states/loaded.tsx";
import { hostedEvalTexts as texts } from "../texts/hosted-evals.ts";
import type { EvalHost } from "./eval-host.ts";

interface EvalDialogProps {
  host: Pick<EvalHost, "calls" | "keys">;
  /** An eval to show; empty: a new one. */
  name: string;
  saved: () => Promise<unknown>;
  close: () => void;
}

/** The document of an eval. Saving replaces the eval that was read, if it has not changed since. */
export function EvalDialog({ name, ...props }: EvalDialogProps) {
  const { calls, keys } = props.host;
  const query = useQuery({
    queryKey: keys.edited(name),
    queryFn: async () => (name === "" ? undefinedEval : await calls.readEval(name)),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <Loaded query={query}>
      {({ value, tag }) => (
        <EvalForm
          {...props}
          title={name === "" ? texts.storeTitle : texts.showTitle(name)}
          read={name === "" ? { text: example } : { name, text: textOf(value), tag }}
        />
      )}
    </Loaded>
  );
}

const undefinedEval = { value: { manifest: undefined }, tag: undefined };

const textOf = ({ manifest }: Partial<Pick<HostedEvalDetail, "manifest">>): string =>
  stringify(manifest, { lineWidth: 0 });

const example = `apiVersion: platform/v1
kind: Eval
metadata:
  name: support
spec:
  agent: support
  cases:
    - query: When does the shop open?
      checks:
        - contains: nine
`;

interface EvalFormProps extends Omit<EvalDialogProps, "name"> {
  title: string;
  /** The eval as it was read; for a new one, only the text to begin with. */
  read: { name?: string; text: string; tag?: string | undefined };
}

function EvalForm({ host: { calls }, saved, close, title, read }: EvalFormProps) {
  // The version that the text began with, even if a newer one is read meanwhile.
  const [base, setBase] = useState(read);
  const [text, setText] = useState(base.text);
  const [conflict, setConflict] = useState<{ name: string; isTaken: boolean }>();
  const name = nameIn(text);
  const store = async (match: string | undefined) => {
    const stored = await calls.putEval(name ?? "", text, { match });
    await saved();
    notify(texts.stored(stored.name));
  };
  const isStored = async (name: string) => (await calls.listEvals()).evals.some((each) => each.name === name);
  const send = async () => {
    if (name === undefined) return;
    try {
      // Under another name, the eval is a new one, and the server would replace the one that has the name.
      if (name !== base.name && (await isStored(name))) throw new NameTaken();
      await store(name === base.name ? base.tag : undefined);
    } catch (thrown) {
      if (isConflict(thrown)) setConflict({ name, isTaken: thrown instanceof NameTaken });
      throw thrown;
    }
  };
  if (conflict !== undefined) {
    return (
      <ConflictDialog<HostedEvalDetail>
        mine={text}
        textOf={textOf}
        language="yaml"
        isTaken={conflict.isTaken}
        read={() => calls.readEval(conflict.name)}
        keepMine={async ({ tag }) => {
          await store(tag);
          close();
        }}
        recreate={async () => {
          await store(undefined);
          close();
        }}
        takeTheirs={({ value, tag }) => {
          setBase({ name: conflict.name, text: textOf(value), tag });
          setText(textOf(value));
        }}
        close={() => setConflict(undefined)}
      />
    );
  }
  return (
    <FormDialog
      size="xl"
      title={title}
      action={texts.store}
      isComplete={name !== undefined && (base.name === undefined || text !== base.text)}
      close={close}
      send={send}
    >
      <Textarea
        label={texts.document}
        description={texts.storeHint}
        error={name === undefined ? texts.nameless : undefined}
        classNames={{ input: "ar-mono" }}
        autosize
        minRows={12}
        maxRows={24}
        spellCheck={false}
        data-autofocus
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

/** Returns the name in a document; undefined if it can't be read. The server reports other faults. */
function nameIn(text: string): string | undefined {
  try {
    const { metadata } = parse(text) as { metadata?: { name?: unknown } };
    return typeof metadata?.name === "string" && metadata.name !== "" ? metadata.name : undefined;
  } catch {
    return undefined;
  }
}
