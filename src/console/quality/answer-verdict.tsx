import { Button, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { FeedbackGiven } from "../../contracts/daemon/runs/feedback.ts";
import { FormDialog } from "../parts/dialogs/form-dialog.tsx";
import { FailureView } from "../parts/states/failure-view.tsx";
import { verdictTexts as texts } from "../texts/quality.ts";

interface AnswerVerdictProps {
  answer: string;
  /** The verdict that the run has already. */
  known?: FeedbackGiven | undefined;
  /** Stores a verdict in place of the one before; an empty one is deleted. */
  give: (verdict: FeedbackGiven) => Promise<unknown>;
  /** Further actions on the answer, with what it should have been. */
  children?: (correction: string | undefined) => ReactNode;
}

/** A person's verdict beside an answer: good, bad, or what it should have been. */
export function AnswerVerdict({ answer, known, give, children }: AnswerVerdictProps) {
  const [verdict, setVerdict] = useState<FeedbackGiven>(known ?? {});
  const [isCorrecting, setCorrecting] = useState(false);
  const store = async (next: FeedbackGiven) => {
    await give(next);
    setVerdict(next);
  };
  const rating = useMutation({ mutationFn: store });
  const rate = (wanted: "up" | "down") => {
    const { rating: present, ...rest } = verdict;
    rating.mutate(present === wanted ? rest : { ...rest, rating: wanted });
  };
  return (
    <span className="ar-verdict">
      {(["up", "down"] as const).map((wanted) => (
        <Button
          key={wanted}
          size="compact-xs"
          variant={verdict.rating === wanted ? "light" : "subtle"}
          {...(verdict.rating === wanted ? {} : { color: "gray" })}
          aria-pressed={verdict.rating === wanted}
          disabled={rating.isPending}
          onClick={() => rate(wanted)}
        >
          {texts[wanted]}
        </Button>
      ))}
      <Button size="compact-xs" variant="subtle" color="gray" onClick={() => setCorrecting(true)}>
        {verdict.correction === undefined ? texts.correct : texts.corrected}
      </Button>
      {children?.(verdict.correction)}
      {rating.isError && <FailureView thrown={rating.error} title={texts.failed} />}
      {isCorrecting && (
        <CorrectDialog answer={answer} verdict={verdict} store={store} close={() => setCorrecting(false)} />
      )}
    </span>
  );
}

interface CorrectDialogProps {
  answer: string;
  verdict: FeedbackGiven;
  store: (verdict: FeedbackGiven) => Promise<unknown>;
  close: () => void;
}

/** Asks for the right answer, which begins with the given one. A corrected answer was a bad one. */
function CorrectDialog({ answer, verdict, store, close }: CorrectDialogProps) {
  const [correction, setCorrection] = useState(verdict.correction ?? answer);
  const [note, setNote] = useState(verdict.note ?? "");
  const { note: _, correction: __, ...rest } = verdict;
  return (
    <FormDialog
      size="lg"
      title={texts.correctTitle}
      action={texts.save}
      isComplete={correction.trim() !== ""}
      close={close}
      send={() =>
        store({
          ...rest,
          rating: "down",
          correction: correction.trim(),
          ...(note.trim() !== "" && { note: note.trim() }),
        })
      }
    >
      <Textarea
        label={texts.correction}
        required
        autosize
        minRows={4}
        maxRows={16}
        maxLength={16_000}
        data-autofocus
        value={correction}
        onChange={(event) => setCorrection(event.currentTarget.value)}
      />
      <Textarea
        label={texts.note}
        autosize
        minRows={2}
        maxLength={4_000}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
