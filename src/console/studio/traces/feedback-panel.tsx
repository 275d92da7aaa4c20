import { Button, SegmentedControl, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { FeedbackGiven } from "../../../contracts/daemon/runs/feedback.ts";
import type { JudgedTrace } from "../../../contracts/daemon/runs/traces.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { notify } from "../../parts/notices.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { Instant } from "../../parts/text/instant.tsx";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { verdictTexts } from "../../texts/quality.ts";
import { channelVerdictText, feedbackTexts as texts } from "../../texts/studio/runs.ts";
import { AddToEval } from "../evals/add-to-eval.tsx";
import { useDaemon } from "../use-daemon.ts";

/** A person's verdict on a run, to read and to change. */
export function FeedbackPanel({
  trace: { trace_id: id, feedback, channel_feedback: ofUsers },
}: {
  trace: JudgedTrace;
}) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [rating, setRating] = useState<string>(feedback?.rating ?? "");
  const [label, setLabel] = useState(feedback?.label ?? "");
  const [note, setNote] = useState(feedback?.note ?? "");
  const [correction, setCorrection] = useState(feedback?.correction ?? "");
  const given: FeedbackGiven = {
    ...(rating === "up" || rating === "down" ? { rating } : {}),
    ...(label.trim() === "" ? {} : { label: label.trim() }),
    ...(note.trim() === "" ? {} : { note: note.trim() }),
    ...(correction.trim() === "" ? {} : { correction: correction.trim() }),
  };
  const { at: _, ...kept } = feedback ?? { at: "" };
  const isEmpty = Object.keys(given).length === 0;
  const isChanged =
    JSON.stringify(Object.entries(given).sort()) !== JSON.stringify(Object.entries(kept).sort());
  const saving = useMutation({
    mutationFn: (): Promise<object> => (isEmpty ? daemon.deleteFeedback(id) : daemon.giveFeedback(id, given)),
    async onSuccess() {
      notify(isEmpty ? texts.deleted : texts.saved);
      await queries.invalidateQueries({ queryKey: ["daemon", "traces"] });
    },
  });
  return (
    <Panel
      title={texts.title}
      actions={
        <>
          <AddToEval trace={id} correction={given.correction} />
          <Button disabled={!isChanged} loading={saving.isPending} onClick={() => saving.mutate()}>
            {texts.save}
          </Button>
        </>
      }
    >
      {ofUsers !== undefined && (
        <p className="ar-trace-reaction">
          <StatusBadge tone={ofUsers.rating === "up" ? "good" : "bad"}>{texts.ofUsers}</StatusBadge>{" "}
          {channelVerdictText(ofUsers)} <Instant iso={ofUsers.at} />
        </p>
      )}
      <div className="ar-form-row">
        <SegmentedControl
          aria-label={texts.rating}
          data={[
            { value: "", label: texts.none },
            { value: "up", label: texts.up },
            { value: "down", label: texts.down },
          ]}
          value={rating}
          onChange={setRating}
        />
        <TextInput
          label={texts.label}
          value={label}
          maxLength={64}
          onChange={(event) => setLabel(event.currentTarget.value)}
          autoComplete="off"
        />
      </div>
      <Textarea
        label={texts.note}
        value={note}
        maxLength={4000}
        autosize
        minRows={2}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      <Textarea
        label={verdictTexts.correction}
        value={correction}
        maxLength={16_000}
        autosize
        minRows={2}
        maxRows={12}
        onChange={(event) => setCorrection(event.currentTarget.value)}
      />
      {saving.isError && <FailureView thrown={saving.error} />}
    </Panel>
  );
}
