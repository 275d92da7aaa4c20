import ReactMarkdown from "react-markdown";
import remarkGfm from "remark-gfm";

/**
 * Markdown without anything that acts: markup in it stays text, pictures are links (loading one would tell its server what
 * stands in the address), and links open elsewhere and say nothing of this page.
 */
export default function MarkdownView({ text }: { text: string }) {
  return (
    <div className="ar-markdown">
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        components={{
          a: ({ href, children }) => (
            <a href={href} target="_blank" rel="noreferrer noopener nofollow">
              {children}
            </a>
          ),
          img: ({ src, alt }) => (
            <a
              href={typeof src === "string" ? src : undefined}
              target="_blank"
              rel="noreferrer noopener nofollow"
            >
              {alt === undefined || alt === "" ? String(src) : alt}
            </a>
          ),
        }}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
}
