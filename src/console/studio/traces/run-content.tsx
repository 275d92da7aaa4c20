import { Button, Title } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { Cassette } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import type { Trace } from "../../../contracts/daemon/runs/run.ts";
import { Markdown } from "../../parts/text/markdown.tsx";
import { traceTexts as texts } from "../../texts/studio/runs.ts";
import { outcomeText } from "../recordings/outcome.ts";

interface Exchange {
  question: string | undefined;
  answer: string | undefined;
}

/** Question and answer of a run, from its recording or its trace; undefined if neither has them. */
export function exchangeOf({ spans }: Trace, cassette: Cassette | null | undefined): Exchange | undefined {
  if (cassette) return { question: cassette.request.query, answer: outcomeText(cassette.outcome) };
  const { input, output } = spans[0]?.attributes ?? {};
  const question = typeof input === "string" ? input : undefined;
  const answer = typeof output === "string" ? output : undefined;
  return question === undefined && answer === undefined ? undefined : { question, answer };
}

interface RunContentProps {
  exchange: Exchange | undefined;
  /** Said in place of texts that were not kept. */
  missing?: string;
}

/** The question and the answer of a run; where they were not kept, how they are. */
export function RunContent({ exchange, missing = texts.noExchange }: RunContentProps) {
  if (exchange === undefined) return <p className="ar-soft ar-flat">{missing}</p>;
  const { question, answer } = exchange;
  return (
    <section className="ar-panel ar-exchange" aria-label={texts.exchange}>
      {question !== undefined && (
        <div>
          <Title order={2} size="h4">
            {texts.question}
          </Title>
          <Folded text={question}>{(shown) => <div className="ar-break ar-asked">{shown}</div>}</Folded>
        </div>
      )}
      <div>
        <Title order={2} size="h4">
          {texts.answer}
        </Title>
        {answer === undefined ? (
          <p className="ar-soft ar-flat">{texts.noAnswer}</p>
        ) : (
          <Folded text={answer}>{(shown) => <Markdown text={shown} />}</Folded>
        )}
      </div>
    </section>
  );
}

/** Characters of a text that are shown before a reader asks for the rest. */
const shownMax = 1500;

function Folded({ text, children }: { text: string; children: (shown: string) => ReactNode }) {
  const [isWhole, setWhole] = useState(false);
  const isFolded = !isWhole && text.length > shownMax;
  return (
    <>
      {children(isFolded ? `${text.slice(0, shownMax)}…` : text)}
      {isFolded && (
        <Button size="compact-sm" variant="subtle" onClick={() => setWhole(true)}>
          {texts.showAll}
        </Button>
      )}
    </>
  );
}
