import { Button, Textarea } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import type { MlModel, MlPrediction } from "../../../contracts/daemon/models/ml.ts";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { formatDuration } from "../../parts/text/format.ts";
import { JsonView } from "../../parts/text/json-view.tsx";
import { mlTexts as texts } from "../../texts/studio/ml.ts";
import { useDaemon } from "../use-daemon.ts";
import { exampleInputs } from "./example-inputs.ts";

/** Runs a prediction with inputs as JSON, filled with an example of the right shape. */
export function PredictForm({ model }: { model: MlModel }) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const id = useId();
  const { name, version, inputs } = model;
  const [text, setText] = useState(() => JSON.stringify(exampleInputs(inputs), null, 2));
  const [fault, setFault] = useState<string>();
  const predicting = useMutation({
    mutationFn: (values: MlPrediction["inputs"]) => daemon.predict(name, { version, inputs: values }),
    // The first prediction loads the model.
    onSettled: () => queries.invalidateQueries({ queryKey: ["daemon", "ml"] }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    try {
      predicting.mutate(JSON.parse(text) as MlPrediction["inputs"]);
      setFault(undefined);
    } catch (thrown) {
      setFault(texts.notJson(thrown instanceof Error ? thrown.message : String(thrown)));
    }
  };
  return (
    <form onSubmit={submit} className="ar-stack">
      <Textarea
        id={id}
        label={texts.values(name)}
        description={texts.valuesHint}
        autosize
        minRows={4}
        maxRows={14}
        classNames={{ input: "ar-mono" }}
        value={text}
        error={fault}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <div>
        <Button type="submit" variant="default" loading={predicting.isPending}>
          {texts.predict}
        </Button>
      </div>
      {predicting.isError && <FailureView thrown={predicting.error} title={texts.failed} />}
      {predicting.data !== undefined && (
        <div>
          <p className="ar-flat ar-soft">{texts.took(formatDuration(predicting.data.duration_ms))}</p>
          <JsonView value={predicting.data.outputs} label={texts.outputs} />
        </div>
      )}
    </form>
  );
}
