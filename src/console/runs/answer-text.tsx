import { memo } from "react";
import { Markdown } from "../parts/markdown.tsx";
import { splitBlocks } from "./split-blocks.ts";

interface AnswerTextProps {
  text: string;
  isRaw: boolean;
}

/** A piece of an answer, block by block: while it grows, only the last block is rendered again. */
export const AnswerText = memo(function AnswerText({ text, isRaw }: AnswerTextProps) {
  if (isRaw) return <pre className="ar-raw">{text}</pre>;
  return (
    <div className="ar-growing">
      {splitBlocks(text).map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end
        <Block key={at} text={block} />
      ))}
    </div>
  );
});

const Block = memo(Markdown);
