import { Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { parse, stringify } from "yaml";
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

/** The document of an eval. Saving replaces the eval that has the document's name, if it has not changed since it was read. */
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
          initial={name === "" ? example : stringify(value.manifest, { lineWidth: 0 })}
          match={name === "" ? undefined : { name, tag }}
        />
      )}
    </Loaded>
  );
}

const undefinedEval = { value: { manifest: undefined }, tag: undefined };

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
  initial: string;
  /** The eval as it was read. */
  match: { name: string; tag: string | undefined } | undefined;
}

function EvalForm({ host, saved, close, title, initial, match }: EvalFormProps) {
  const [text, setText] = useState(initial);
  const name = nameIn(text);
  return (
    <FormDialog
      size="xl"
      title={title}
      action={texts.store}
      isComplete={name !== undefined && (match === undefined || text !== initial)}
      close={close}
      send={async () => {
        const stored = await host.calls.putEval(name ?? "", text, {
          match: name === match?.name ? match?.tag : undefined,
        });
        await saved();
        notify(texts.stored(stored.name));
      }}
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
